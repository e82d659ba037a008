ALTER TABLE `media` ADD `current_version_id` text;--> statement-breakpoint
CREATE INDEX `media_not_current` ON `media` (`account_id`,`status`,`media_type`) WHERE current_version_id IS NOT NULL;