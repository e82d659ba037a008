CREATE TABLE `video_tasks` (
	`media_id` text NOT NULL,
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
CREATE INDEX `video_tasks_unfinished` ON `video_tasks` (`state`,`available_at`);