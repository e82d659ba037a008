CREATE TABLE `resumable_uploads` (
	`id_sha256` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`media_id` text NOT NULL,
	`length_bytes` integer NOT NULL,
	`offset_bytes` integer DEFAULT 0 NOT NULL,
	`metadata` text NOT NULL,
	`filename` text,
	`multipart_upload_id` text,
	`part_etags` text NOT NULL,
	`lock_id` text,
	`locked_until` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `resumable_uploads_media_id_unique` ON `resumable_uploads` (`media_id`);--> statement-breakpoint
CREATE INDEX `resumable_uploads_by_account` ON `resumable_uploads` (`account_id`);--> statement-breakpoint
CREATE INDEX `resumable_uploads_by_expiry` ON `resumable_uploads` (`expires_at`);