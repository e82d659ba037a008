CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`plan` text NOT NULL,
	`shard` integer DEFAULT 0 NOT NULL,
	`anchor_day` integer NOT NULL,
	`requests_per_minute` integer,
	`images_per_period` integer,
	`video_minutes_per_period` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`prefix` text NOT NULL,
	`sha256` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_sha256_unique` ON `api_keys` (`sha256`);--> statement-breakpoint
CREATE INDEX `api_keys_by_account` ON `api_keys` (`account_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `dead_letters` (
	`message_id` text PRIMARY KEY NOT NULL,
	`queue` text NOT NULL,
	`body` text NOT NULL,
	`account_id` text,
	`media_id` text,
	`recorded_at` integer NOT NULL,
	`redriven_at` integer
);
--> statement-breakpoint
CREATE INDEX `dead_letters_by_time` ON `dead_letters` (`recorded_at`);--> statement-breakpoint
CREATE TABLE `media` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`status` text NOT NULL,
	`filename` text NOT NULL,
	`media_type` text NOT NULL,
	`format` text NOT NULL,
	`categories` text NOT NULL,
	`redaction_method` text NOT NULL,
	`file_size_bytes` integer NOT NULL,
	`width_pixels` integer NOT NULL,
	`height_pixels` integer NOT NULL,
	`duration_seconds` real,
	`origin` text NOT NULL,
	`request_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`processed_at` integer,
	`failed_at` integer,
	`failure_code` text,
	`multipart_upload_id` text,
	`quota_units` integer NOT NULL,
	`period_start` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`lease_id` text,
	`lease_expires_at` integer,
	`available_at` integer,
	`output_size_bytes` integer,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `media_by_account` ON `media` (`account_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `media_by_account_status` ON `media` (`account_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `media_by_account_type` ON `media` (`account_id`,`media_type`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `media_unfinished` ON `media` (`status`,`available_at`);--> statement-breakpoint
CREATE TABLE `media_counts` (
	`account_id` text NOT NULL,
	`status` text NOT NULL,
	`media_type` text NOT NULL,
	`total` integer NOT NULL,
	PRIMARY KEY(`account_id`, `status`, `media_type`)
);
--> statement-breakpoint
CREATE TABLE `object_purges` (
	`media_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`multipart_upload_id` text,
	`requested_at` integer NOT NULL,
	`settled_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `object_purges_by_time` ON `object_purges` (`settled_at`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`account_id` text NOT NULL,
	`key` text NOT NULL,
	`lock_id` text NOT NULL,
	`locked_until` integer NOT NULL,
	`fingerprint` text,
	`response_body` text,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`account_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_expiry` ON `idempotency_keys` (`expires_at`);--> statement-breakpoint
CREATE TABLE `usage` (
	`account_id` text NOT NULL,
	`period_start` text NOT NULL,
	`media_type` text NOT NULL,
	`used_units` integer NOT NULL,
	`reserved_units` integer NOT NULL,
	PRIMARY KEY(`account_id`, `period_start`, `media_type`)
);
--> statement-breakpoint
CREATE TABLE `events` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`media_id` text NOT NULL,
	`kind` text NOT NULL,
	`payload` text NOT NULL,
	`request_id` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `events_once_per_media` ON `events` (`media_id`,`kind`);--> statement-breakpoint
CREATE INDEX `events_by_account` ON `events` (`account_id`,`created_at`);