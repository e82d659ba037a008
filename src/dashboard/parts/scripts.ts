import answeredFault from "../assets/answered-fault.js";
import batch from "../assets/batch.js";
import compare from "../assets/compare.js";
import compareLabels from "../assets/compare-labels.js";
import compareThings from "../assets/compare-things.js";
import compareVersions from "../assets/compare-versions.js";
import compareVideos from "../assets/compare-videos.js";
import compareZoom from "../assets/compare-zoom.js";
import conveniences from "../assets/conveniences.js";
import dashboard from "../assets/dashboard.js";
import droppedFiles from "../assets/dropped-files.js";
import editor from "../assets/editor.js";
import editorApply from "../assets/editor-apply.js";
import editorElements from "../assets/editor-elements.js";
import editorFindings from "../assets/editor-findings.js";
import editorGeometry from "../assets/editor-geometry.js";
import editorGestures from "../assets/editor-gestures.js";
import editorKeys from "../assets/editor-keys.js";
import editorList from "../assets/editor-list.js";
import editorListGroup from "../assets/editor-list-group.js";
import editorNames from "../assets/editor-names.js";
import editorPointer from "../assets/editor-pointer.js";
import editorRegions from "../assets/editor-regions.js";
import editorReasons from "../assets/editor-reasons.js";
import editorRequest from "../assets/editor-request.js";
import editorScene from "../assets/editor-scene.js";
import editorSensitivity from "../assets/editor-sensitivity.js";
import editorShapes from "../assets/editor-shapes.js";
import editorSight from "../assets/editor-sight.js";
import editorState from "../assets/editor-state.js";
import editorSteps from "../assets/editor-steps.js";
import editorToolbar from "../assets/editor-toolbar.js";
import editorView from "../assets/editor-view.js";
import editorWorkbench from "../assets/editor-workbench.js";
import enhance from "../assets/enhance.js";
import filmPlayer from "../assets/film-player.js";
import hiddenTimes from "../assets/hidden-times.js";
import media from "../assets/media.js";
import mediaList from "../assets/media-list.js";
import menus from "../assets/menus.js";
import refresh from "../assets/refresh.js";
import review from "../assets/review.js";
import reviewDecisions from "../assets/review-decisions.js";
import reviewFilm from "../assets/review-film.js";
import reviewItems from "../assets/review-items.js";
import selection from "../assets/selection.js";
import upload from "../assets/upload.js";
import uploadArrived from "../assets/upload-arrived.js";
import uploadBatch from "../assets/upload-batch.js";
import uploadCheck from "../assets/upload-check.js";
import uploadElements from "../assets/upload-elements.js";
import uploadEta from "../assets/upload-eta.js";
import uploadFollow from "../assets/upload-follow.js";
import uploadGate from "../assets/upload-gate.js";
import uploadKept from "../assets/upload-kept.js";
import uploadPage from "../assets/upload-page.js";
import uploadPresets from "../assets/upload-presets.js";
import uploadPreview from "../assets/upload-preview.js";
import uploadQueue from "../assets/upload-queue.js";
import uploadRefused from "../assets/upload-refused.js";
import uploadRequest from "../assets/upload-request.js";
import uploadResumable from "../assets/upload-resumable.js";
import uploadRow from "../assets/upload-row.js";
import uploadSettings from "../assets/upload-settings.js";
import uploadSources from "../assets/upload-sources.js";
import uploadStaging from "../assets/upload-staging.js";
import uploadWords from "../assets/upload-words.js";
import uploadWork from "../assets/upload-work.js";
import videoEditor from "../assets/video-editor.js";
import videoActions from "../assets/video-actions.js";
import videoCandidates from "../assets/video-candidates.js";
import videoEdits from "../assets/video-edits.js";
import videoFollow from "../assets/video-follow.js";
import videoKeys from "../assets/video-keys.js";
import videoLanes from "../assets/video-lanes.js";
import videoLead from "../assets/video-lead.js";
import videoMasks from "../assets/video-masks.js";
import videoPlayer from "../assets/video-player.js";
import videoRow from "../assets/video-row.js";
import videoRuler from "../assets/video-ruler.js";
import videoScene from "../assets/video-scene.js";
import videoSelected from "../assets/video-selected.js";
import videoMuted from "../assets/video-muted.js";
import videoSound from "../assets/video-sound.js";
import videoState from "../assets/video-state.js";
import videoCrop from "../assets/video-crop.js";
import videoThumbnails from "../assets/video-thumbnails.js";
import videoTimeline from "../assets/video-timeline.js";
import videoTimelinePointer from "../assets/video-timeline-pointer.js";
import videoTracks from "../assets/video-tracks.js";
import videoTransport from "../assets/video-transport.js";

/** The scripts of every page, as browsers get them. */
const DASHBOARD = {
  "dashboard.js": dashboard,
  "conveniences.js": conveniences,
  "dropped-files.js": droppedFiles,
  "enhance.js": enhance,
  "refresh.js": refresh,
} as const;

/** The scripts that show a picture with shapes to select and draw. */
const SHAPES = {
  "editor-elements.js": editorElements,
  "editor-geometry.js": editorGeometry,
  "editor-gestures.js": editorGestures,
  "editor-keys.js": editorKeys,
  "editor-list.js": editorList,
  "editor-list-group.js": editorListGroup,
  "editor-names.js": editorNames,
  "editor-reasons.js": editorReasons,
  "editor-pointer.js": editorPointer,
  "editor-regions.js": editorRegions,
  "editor-sensitivity.js": editorSensitivity,
  "editor-shapes.js": editorShapes,
  "editor-sight.js": editorSight,
  "editor-state.js": editorState,
  "editor-steps.js": editorSteps,
  "editor-toolbar.js": editorToolbar,
  "editor-view.js": editorView,
} as const;

/** Further scripts of editors. */
const EDITOR = {
  "answered-fault.js": answeredFault,
  "editor-apply.js": editorApply,
  "editor-request.js": editorRequest,
  ...SHAPES,
} as const;

/** The scripts that play a film beside its original. */
const FILM = {
  "compare-videos.js": compareVideos,
  "editor-elements.js": editorElements,
  "film-player.js": filmPlayer,
  "hidden-times.js": hiddenTimes,
  "video-player.js": videoPlayer,
  "video-transport.js": videoTransport,
} as const;

const REVIEW = {
  "answered-fault.js": answeredFault,
  "review.js": review,
  "review-decisions.js": reviewDecisions,
  "review-film.js": reviewFilm,
  "review-items.js": reviewItems,
  "video-crop.js": videoCrop,
  "video-masks.js": videoMasks,
  "video-tracks.js": videoTracks,
  "editor-findings.js": editorFindings,
  "editor-workbench.js": editorWorkbench,
  "editor-scene.js": editorScene,
  ...FILM,
  ...SHAPES,
} as const;

const PHOTO_EDITOR = {
  "editor.js": editor,
  "editor-findings.js": editorFindings,
  "editor-workbench.js": editorWorkbench,
  "editor-scene.js": editorScene,
  ...EDITOR,
} as const;

const VIDEO_EDITOR = {
  "video-editor.js": videoEditor,
  "video-actions.js": videoActions,
  "video-candidates.js": videoCandidates,
  "video-edits.js": videoEdits,
  "video-follow.js": videoFollow,
  "video-keys.js": videoKeys,
  "video-lanes.js": videoLanes,
  "video-lead.js": videoLead,
  "video-masks.js": videoMasks,
  "video-player.js": videoPlayer,
  "video-row.js": videoRow,
  "video-ruler.js": videoRuler,
  "video-scene.js": videoScene,
  "video-selected.js": videoSelected,
  "video-muted.js": videoMuted,
  "video-sound.js": videoSound,
  "video-state.js": videoState,
  "video-crop.js": videoCrop,
  "video-thumbnails.js": videoThumbnails,
  "video-timeline.js": videoTimeline,
  "video-timeline-pointer.js": videoTimelinePointer,
  "video-tracks.js": videoTracks,
  "video-transport.js": videoTransport,
  ...EDITOR,
} as const;

/** Further scripts of a media item's page. */
const MEDIA = {
  "media.js": media,
  "compare.js": compare,
  "compare-labels.js": compareLabels,
  "compare-things.js": compareThings,
  "compare-zoom.js": compareZoom,
  "menus.js": menus,
  ...FILM,
} as const;

/** Further scripts of the page that compares two versions. */
const COMPARE_VERSIONS = {
  "compare-versions.js": compareVersions,
  "compare-videos.js": compareVideos,
  "compare-zoom.js": compareZoom,
} as const;

/** Further scripts of the media list. */
const MEDIA_LIST = { "media-list.js": mediaList, "selection.js": selection } as const;

/** Further scripts of the upload form. */
const UPLOAD = {
  "answered-fault.js": answeredFault,
  "upload.js": upload,
  "upload-batch.js": uploadBatch,
  "upload-check.js": uploadCheck,
  "upload-elements.js": uploadElements,
  "upload-eta.js": uploadEta,
  "upload-follow.js": uploadFollow,
  "upload-gate.js": uploadGate,
  "upload-kept.js": uploadKept,
  "upload-page.js": uploadPage,
  "upload-presets.js": uploadPresets,
  "upload-queue.js": uploadQueue,
  "upload-request.js": uploadRequest,
  "upload-row.js": uploadRow,
  "upload-settings.js": uploadSettings,
  "upload-sources.js": uploadSources,
  "upload-staging.js": uploadStaging,
  "upload-words.js": uploadWords,
  "upload-work.js": uploadWork,
} as const;

/** Further scripts of an upload's page. */
const BATCH = {
  "batch.js": batch,
  "upload-arrived.js": uploadArrived,
  "upload-elements.js": uploadElements,
  "upload-kept.js": uploadKept,
  "upload-refused.js": uploadRefused,
  "upload-words.js": uploadWords,
} as const;

/** Scripts that pages fetch on demand. */
const LATER = {
  "upload-refused.js": uploadRefused,
  "upload-resumable.js": uploadResumable,
  "upload-arrived.js": uploadArrived,
  "upload-preview.js": uploadPreview,
} as const;

/** All scripts by the name that they are served under. */
export const SCRIPTS: Readonly<Record<string, string>> = {
  ...DASHBOARD,
  ...BATCH,
  ...PHOTO_EDITOR,
  ...MEDIA,
  ...COMPARE_VERSIONS,
  ...MEDIA_LIST,
  ...REVIEW,
  ...UPLOAD,
  ...VIDEO_EDITOR,
  ...LATER,
};

/**
 * The script that a page starts, if any, all that it imports, so that browsers fetch them at once, what it fetches when that is needed, and
 * its style beside the one of all pages.
 */
export interface PageScript {
  readonly entry?: string;
  readonly modules: readonly string[];
  readonly later?: readonly string[];
  readonly style?: string;
}

export const PAGE_SCRIPTS = {
  all: { entry: "dashboard.js", modules: Object.keys(DASHBOARD) },
  batch: {
    entry: "batch.js",
    modules: Object.keys({ "enhance.js": enhance, ...BATCH }),
    style: "media-list.css",
  },
  compareVersions: {
    entry: "compare-versions.js",
    modules: Object.keys({ "enhance.js": enhance, ...COMPARE_VERSIONS }),
    style: "compare.css",
  },
  deletions: { modules: [], style: "deletions.css" },
  media: {
    entry: "media.js",
    modules: Object.keys({ "enhance.js": enhance, "refresh.js": refresh, ...MEDIA }),
    style: "compare.css",
  },
  mediaList: {
    entry: "media-list.js",
    modules: Object.keys({ "enhance.js": enhance, "refresh.js": refresh, ...MEDIA_LIST }),
    style: "media-list.css",
  },
  overview: { modules: [], style: "media-list.css" },
  photoEditor: {
    entry: "editor.js",
    modules: Object.keys({ "enhance.js": enhance, ...PHOTO_EDITOR }),
    style: "editor.css",
  },
  report: { modules: [], style: "report.css" },
  review: {
    entry: "review.js",
    modules: Object.keys({ "enhance.js": enhance, "conveniences.js": conveniences, ...REVIEW }),
    style: "editor.css",
  },
  reviewRules: { modules: [], style: "review-rules.css" },
  security: { modules: [], style: "security.css" },
  upload: {
    entry: "upload.js",
    modules: Object.keys({ "enhance.js": enhance, "dropped-files.js": droppedFiles, ...UPLOAD }),
    later: Object.keys(LATER),
    style: "upload.css",
  },
  videoEditor: {
    entry: "video-editor.js",
    modules: Object.keys({ "enhance.js": enhance, ...VIDEO_EDITOR }),
    style: "editor.css",
  },
} as const satisfies Readonly<Record<string, PageScript>>;
