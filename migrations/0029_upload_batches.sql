CREATE TABLE `batch_files` (
	`media_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`batch_id` text NOT NULL,
	`added_at` integer NOT NULL,
	FOREIGN KEY (`media_id`) REFERENCES `media`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `batch_files_by_batch` ON `batch_files` (`account_id`,`batch_id`,`added_at`);