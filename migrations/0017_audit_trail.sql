CREATE TABLE `audit_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text NOT NULL,
	`kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`detail` text,
	`request_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`once_key` text
);
--> statement-breakpoint
CREATE INDEX `audit_by_account` ON `audit_entries` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_by_kind` ON `audit_entries` (`account_id`,`kind`,`id`);--> statement-breakpoint
CREATE INDEX `audit_by_actor` ON `audit_entries` (`account_id`,`actor_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `audit_once` ON `audit_entries` (`once_key`) WHERE once_key IS NOT NULL;