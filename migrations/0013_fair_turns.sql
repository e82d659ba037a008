CREATE TABLE `account_turns` (
	`queue` text NOT NULL,
	`account_id` text NOT NULL,
	`waiting` integer DEFAULT 0 NOT NULL,
	`running` integer DEFAULT 0 NOT NULL,
	`start_tag` real DEFAULT 0 NOT NULL,
	`finish_tag` real DEFAULT 0 NOT NULL,
	`lease_id` text,
	`resent_at` integer,
	PRIMARY KEY(`queue`, `account_id`)
);
--> statement-breakpoint
CREATE INDEX `account_turns_waiting` ON `account_turns` (`queue`,`finish_tag`) WHERE waiting > 0;--> statement-breakpoint
CREATE INDEX `account_turns_running` ON `account_turns` (`queue`) WHERE running > 0;--> statement-breakpoint
CREATE INDEX `account_turns_by_start` ON `account_turns` (`queue`,`start_tag`);--> statement-breakpoint
-- A column that is never null and has no default can only be added to a table by making it anew.
CREATE TABLE `video_tasks_new` (
	`media_id` text NOT NULL,
	`account_id` text NOT NULL,
	`kind` text NOT NULL,
	`segment` integer NOT NULL,
	`state` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`lease_id` text,
	`lease_expires_at` integer,
	`available_at` integer NOT NULL,
	PRIMARY KEY(`media_id`, `kind`, `segment`),
	FOREIGN KEY (`media_id`) REFERENCES `media`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `video_tasks_new` (`media_id`, `account_id`, `kind`, `segment`, `state`, `attempts`, `lease_id`, `lease_expires_at`, `available_at`)
SELECT task.`media_id`, media.`account_id`, task.`kind`, task.`segment`, task.`state`, task.`attempts`, task.`lease_id`,
  task.`lease_expires_at`, task.`available_at`
FROM `video_tasks` AS task JOIN `media` ON media.`id` = task.`media_id`;
--> statement-breakpoint
DROP TABLE `video_tasks`;--> statement-breakpoint
ALTER TABLE `video_tasks_new` RENAME TO `video_tasks`;--> statement-breakpoint
CREATE INDEX `video_tasks_ready` ON `video_tasks` (`media_id`,`segment`,`available_at`) WHERE state = 'ready';--> statement-breakpoint
CREATE INDEX `video_tasks_held` ON `video_tasks` (`lease_id`) WHERE state = 'running';--> statement-breakpoint
DROP INDEX `webhook_deliveries_due`;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_waiting` ON `webhook_deliveries` (`account_id`,`next_attempt_at`,`id`) WHERE next_attempt_at IS NOT NULL AND locked_until IS NULL;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_held` ON `webhook_deliveries` (`lock_id`) WHERE locked_until IS NOT NULL;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_locked` ON `webhook_deliveries` (`locked_until`) WHERE locked_until IS NOT NULL;--> statement-breakpoint
CREATE INDEX `media_queued` ON `media` (`account_id`,`media_type`,`available_at`,`id`) WHERE status = 'queued';--> statement-breakpoint
CREATE INDEX `media_held` ON `media` (`lease_id`) WHERE status = 'processing';