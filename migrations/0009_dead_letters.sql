ALTER TABLE `dead_letters` ADD `reason` text DEFAULT 'retries_spent' NOT NULL;--> statement-breakpoint
ALTER TABLE `dead_letters` ADD `redrive_requested_at` integer;--> statement-breakpoint
CREATE INDEX `dead_letters_to_redrive` ON `dead_letters` (`redrive_requested_at`) WHERE "dead_letters"."redrive_requested_at" is not null;