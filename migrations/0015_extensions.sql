CREATE TABLE `masking_options` (
	`media_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`options` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `media_revisions` (
	`media_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`first_media_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `media_revisions_by_first` ON `media_revisions` (`first_media_id`);--> statement-breakpoint
ALTER TABLE `media_detections` ADD `orientation` integer;--> statement-breakpoint
ALTER TABLE `media_detections` ADD `is_truncated` integer DEFAULT false NOT NULL;