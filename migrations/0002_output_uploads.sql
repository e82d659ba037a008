ALTER TABLE `media` ADD `output_upload_id` text;--> statement-breakpoint
ALTER TABLE `object_purges` ADD `output_upload_id` text;