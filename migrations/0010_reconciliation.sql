CREATE TABLE `reconciliation_findings` (
	`reconciliation_id` text NOT NULL,
	`object_key` text NOT NULL,
	`kind` text NOT NULL,
	PRIMARY KEY(`reconciliation_id`, `object_key`),
	FOREIGN KEY (`reconciliation_id`) REFERENCES `reconciliations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `reconciliations` (
	`id` text PRIMARY KEY NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`cursor` text NOT NULL,
	`objects_checked` integer DEFAULT 0 NOT NULL,
	`records_checked` integer DEFAULT 0 NOT NULL,
	`objects_without_record` integer DEFAULT 0 NOT NULL,
	`records_without_object` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `reconciliations_by_time` ON `reconciliations` (`started_at`);