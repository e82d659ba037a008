CREATE TABLE `media_reviews` (
	`media_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`state` text NOT NULL,
	`reasons` text NOT NULL,
	`flagged_at` integer NOT NULL,
	`decided_at` integer,
	`decided_by` text,
	`result_media_id` text
);
--> statement-breakpoint
CREATE INDEX `media_reviews_waiting` ON `media_reviews` (`account_id`,`flagged_at`,`media_id`) WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX `media_reviews_expired` ON `media_reviews` (`account_id`,`flagged_at`) WHERE state = 'expired';--> statement-breakpoint
CREATE INDEX `media_reviews_by_result` ON `media_reviews` (`result_media_id`) WHERE result_media_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `review_rules` (
	`account_id` text PRIMARY KEY NOT NULL,
	`rules` text NOT NULL,
	`changed_at` integer NOT NULL
);
