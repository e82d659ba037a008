ALTER TABLE `media` ADD `folder` text;--> statement-breakpoint
ALTER TABLE `media` ADD `metadata` text;--> statement-breakpoint
ALTER TABLE `media` ADD `external_id` text;--> statement-breakpoint
CREATE INDEX `media_by_account_folder` ON `media` (`account_id`,`folder`,`created_at`,`id`) WHERE folder IS NOT NULL;--> statement-breakpoint
CREATE INDEX `media_by_external_id` ON `media` (`account_id`,`external_id`,`created_at`,`id`) WHERE external_id IS NOT NULL;