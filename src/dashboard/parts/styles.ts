import colors from "../../style/colors.css";
import unseen from "../../style/unseen.css";
import base from "../assets/styles/base.css";
import compare from "../assets/styles/compare.css";
import deletions from "../assets/styles/deletions.css";
import editor from "../assets/styles/editor.css";
import editorList from "../assets/styles/editor-list.css";
import film from "../assets/styles/film.css";
import forms from "../assets/styles/forms.css";
import frame from "../assets/styles/frame.css";
import mediaList from "../assets/styles/media-list.css";
import numbers from "../assets/styles/numbers.css";
import panels from "../assets/styles/panels.css";
import notes from "../assets/styles/notes.css";
import preferences from "../assets/styles/preferences.css";
import times from "../assets/styles/times.css";
import report from "../assets/styles/report.css";
import reviewRules from "../assets/styles/review-rules.css";
import reviewQueue from "../assets/styles/review-queue.css";
import security from "../assets/styles/security.css";
import tables from "../assets/styles/tables.css";
import upload from "../assets/styles/upload.css";
import videoEditor from "../assets/styles/video-editor.css";

/** Of every page. Later ones win over earlier ones. */
const DASHBOARD = [colors, unseen, base, frame, panels, forms, tables, numbers, preferences];

/** Of editors and the review queue besides. */
const EDITOR = [film, editor, editorList, videoEditor, reviewQueue, times, notes];

/** All styles by the name that they are served under. */
export const STYLES: Readonly<Record<string, string>> = {
  "dashboard.css": DASHBOARD.join("\n"),
  "compare.css": [film, compare, times, notes].join("\n"),
  "deletions.css": deletions,
  "editor.css": EDITOR.join("\n"),
  "media-list.css": mediaList,
  "report.css": report,
  "review-rules.css": reviewRules,
  "security.css": security,
  "upload.css": upload,
};
