CREATE TABLE `deletion_records` (
	`media_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`first_media_id` text,
	`name_digest` text NOT NULL,
	`name` text,
	`name_until` integer,
	`media_type` text NOT NULL,
	`file_size_bytes` integer NOT NULL,
	`source_sha256` text,
	`output_sha256` text,
	`uploaded_at` integer NOT NULL,
	`deleted_at` integer NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text NOT NULL,
	`request_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `deletion_records_by_account` ON `deletion_records` (`account_id`,`deleted_at`,`media_id`);--> statement-breakpoint
CREATE INDEX `deletion_records_by_name` ON `deletion_records` (`account_id`,`name_digest`);--> statement-breakpoint
CREATE INDEX `deletion_records_by_request` ON `deletion_records` (`account_id`,`request_id`);--> statement-breakpoint
CREATE INDEX `deletion_records_by_time` ON `deletion_records` (`deleted_at`);--> statement-breakpoint
CREATE INDEX `deletion_records_with_names` ON `deletion_records` (`name_until`) WHERE name_until IS NOT NULL;--> statement-breakpoint
CREATE TABLE `name_rules` (
	`account_id` text PRIMARY KEY NOT NULL,
	`name_key` text NOT NULL,
	`keeps_names` integer DEFAULT false NOT NULL,
	`name_days` integer DEFAULT 30 NOT NULL,
	`changed_at` integer
);
--> statement-breakpoint
ALTER TABLE `media` ADD `output_sha256` text;