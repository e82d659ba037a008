ALTER TABLE `accounts` ADD `source_retention_hours` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `output_retention_days` integer;--> statement-breakpoint
ALTER TABLE `media` ADD `source_expires_at` integer;--> statement-breakpoint
ALTER TABLE `media` ADD `source_deleted_at` integer;--> statement-breakpoint
ALTER TABLE `media` ADD `output_expires_at` integer;--> statement-breakpoint
CREATE INDEX `media_source_expiry` ON `media` (`source_expires_at`) WHERE source_expires_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `media_output_expiry` ON `media` (`output_expires_at`) WHERE output_expires_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `media_with_objects` ON `media` (`account_id`,`id`) WHERE source_deleted_at IS NULL OR output_size_bytes IS NOT NULL;