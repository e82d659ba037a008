/**
 * Why a media item can end without a redacted file: for each code, what happened and what to do about it. A test checks that
 * `docs/errors.md` lists the same.
 */
export const FAILURE_MESSAGES = {
  source_undecodable:
    "The file opens, but its pictures cannot be decoded. It is probably damaged: export or convert it again and upload the new file.",
  source_unreadable:
    "The file is damaged or incomplete and cannot be read completely. Export or copy it again and upload the new file.",
  source_missing: "The uploaded file is no longer stored. Upload it again.",
  source_changed: "The stored file is not the file that was uploaded. Upload it again.",
  not_an_image: "The stored file is not an image. Upload it again.",
  redaction_undecodable:
    "The image is damaged and cannot be decoded. Open it in an image editor, save it again and upload the new file.",
  redaction_too_large:
    "The image needs more memory than one job has. Save it as a baseline JPEG or a PNG, or make it smaller, and upload it again.",
  redaction_unsupported:
    "This kind of image cannot be written, such as a 12-bit JPEG or an animation. Save it as an ordinary JPEG or PNG and upload it again.",
  plan_no_frames: "The video has no frames. Export it again and upload the new file.",
  plan_no_key_frame:
    "The video does not begin with a key frame, so it cannot be decoded. Convert it again and upload the new file.",
  plan_timestamps_repeat:
    "Several frames of the video have the same time. Convert it again, with a constant frame rate, and upload the new file.",
  plan_group_of_pictures_too_long:
    "The key frames of the video are too far apart. Convert it with a key frame every few seconds and upload the new file.",
  duration_over_limit:
    "The video is longer than its file says, and longer than accepted. Cut it into shorter parts and upload those.",
  frames_over_limit:
    "The video has a higher frame rate than accepted. Convert it to a lower frame rate and upload the new file.",
  engine_failed:
    "The video cannot be decoded completely: it is damaged, or its kind is not supported. Convert it to MP4 with H.264, or to WebM with VP8 or VP9, and upload the new file.",
  engine_out_of_memory:
    "The video needs more memory to decode than one job has. Convert it with at most four reference frames, or make it smaller, and upload it again. If it has more than 1920×1088 pixels, tell the operator of the service: the video Worker may not send large videos to the inference service, as the API expects.",
  media_service_missing:
    "The video needs an engine that this service does not have now, as AV1 does. Convert it to MP4 with H.264, or to WebM with VP8 or VP9, and upload the new file. If the service has accepted such videos before, tell its operator: the video Worker does not use the inference service's video engine, or the engine has lost its decoder.",
  engine_unsupported_runtime:
    "This service cannot process videos at the moment. Ask its operator, and tell them the media ID.",
  categories_unserved:
    "The installed models cannot find one of the categories. Upload the file again with other categories, or ask the operator of the service.",
  stored_data_unreadable:
    "The service could not use its own working data for this file. The file itself may be fine. Retry it once. If that fails in the same way, give the media ID to the operator of the service, whose log shows the cause.",
  worker_lost:
    "The file needed more memory or time than one job has. Make it smaller or shorter and upload it again.",
  retries_spent:
    "Processing was tried several times without success, most likely because a part of the service could not be reached. Retry the file later. If it keeps happening, contact the operator of the service with the media ID.",
  quota_exceeded:
    "The video is longer than its file says, and its real duration does not fit the quota of the period. Upload a shorter part, or retry the file in the next period or on a larger plan.",
  unexpected:
    "Something went wrong on our side. Retry the file. If it keeps happening, contact the operator of the service with the media ID.",
} as const;

export type FailureCode = keyof typeof FAILURE_MESSAGES;

export const FAILURE_CODES = Object.keys(FAILURE_MESSAGES) as [FailureCode, ...FailureCode[]];

/** The codes of temporary failures. They appear only in the log and are never the reason that a media item failed. */
export type PassingCode =
  | "detector_unavailable"
  | "detector_answer_invalid"
  | "detector_saw_another_size"
  | "redaction_invalid_region"
  | "media_service_unavailable"
  | "engine_crashed"
  | "engine_cancelled"
  | "engine_timed_out"
  | "superseded";

/**
 * Whether another attempt with the same stored file and settings may succeed. Failures of the service and temporary failures may pass; a
 * file that is damaged or too large fails again. A test checks that `docs/errors.md` says the same.
 */
export const FAILURE_IS_RETRYABLE: Readonly<Record<FailureCode, boolean>> = {
  source_undecodable: false,
  source_unreadable: false,
  // The file is not the cause. A retry is refused with `source_deleted` as long as nothing is stored.
  source_missing: true,
  source_changed: false,
  not_an_image: false,
  redaction_undecodable: false,
  redaction_too_large: false,
  redaction_unsupported: false,
  plan_no_frames: false,
  plan_no_key_frame: false,
  plan_timestamps_repeat: false,
  plan_group_of_pictures_too_long: false,
  duration_over_limit: false,
  frames_over_limit: false,
  engine_failed: false,
  engine_out_of_memory: false,
  media_service_missing: true,
  engine_unsupported_runtime: true,
  categories_unserved: true,
  stored_data_unreadable: true,
  worker_lost: false,
  retries_spent: true,
  quota_exceeded: true,
  unexpected: true,
};

/** Whether another attempt with the same file may succeed. */
export function isRetryable(code: FailureCode): boolean {
  return FAILURE_IS_RETRYABLE[code];
}

/** Whether a media item can end with this code. */
export function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(FAILURE_MESSAGES, code);
}
