const box = { x: 0.1, y: 0.2, width: 0.3, height: 0.4 };

/** Requests that must be refused, some of them only for one media type. */
export const HOSTILE_REVISIONS: readonly {
  readonly body: unknown;
  readonly details: Record<string, RegExp>;
  readonly only?: "image" | "video";
}[] = [
  {
    body: { redact: ["det_a_1", "det_b_1"], except: ["x"] },
    details: {
      redact: /^`redact` names det_b_1; expected IDs of this media item's detections\.$/,
      except: /names x;/,
    },
  },
  {
    body: { redact: "some" },
    details: {
      redact: /^`redact` is "some"; expected "all", "none" or a list of up to 10000 ids of detections\.$/,
    },
  },
  { body: { redact: null }, details: { redact: /is null/ } },
  { body: { except: "det_a_1" }, details: { except: /is "det_a_1"/ } },
  { body: { except: [7] }, details: { except: /is \[7\]/ } },
  {
    body: { regions: Array.from({ length: 501 }, () => ({ box })) },
    details: { regions: /at most 500 regions/ },
  },
  { body: { regions: [{ box: { ...box, x: 2 } }] }, details: { regions: /^`regions\[0\]\.box\.x` is 2;/ } },
  {
    body: { regions: [{ box, end_seconds: 3 }] },
    details: { regions: /is for videos/ },
    only: "image",
  },
  {
    body: { regions: [{ box, start_seconds: 6 }] },
    details: {
      regions: /^`regions\[0\]\.start_seconds` is 6; expected a time before the end of the video, 6 seconds/,
    },
    only: "video",
  },
  {
    body: { regions: [{ box, end_seconds: 0 }] },
    details: { regions: /expected a time after start_seconds, 0/ },
  },
  {
    body: { regions: [{ keyframes: [2, 1].map((time) => ({ time_seconds: time, box })) }] },
    details: {
      regions:
        /^`regions\[0\]\.keyframes\[1\]\.time_seconds` is 1; expected a time after that of the keyframe before, 2\./,
    },
  },
  {
    body: { regions: [{ keyframes: [{ time_seconds: -1, box }] }] },
    details: { regions: /^`regions\[0\]\.keyframes\[0\]\.time_seconds` is -1; expected a number of seconds/ },
  },
  { body: { regions: [{ keyframes: [] }] }, details: { regions: /expected at least one keyframe/ } },
  {
    body: { regions: [{ box, keyframes: [{ time_seconds: 0, box }] }] },
    details: { regions: /expected exactly one of box, polygon and keyframes/ },
  },
  {
    body: { regions: [{ box: { x: 0.9, y: 0, width: 0.2, height: 0.2 } }] },
    details: { regions: /expected a box within the picture/ },
  },
  { body: { regions: [{ box: { ...box, width: 0 } }] }, details: { regions: /expected a number above 0/ } },
  {
    body: { regions: [{ box: { ...box, width: 3 } }] },
    details: { regions: /^`regions\[0\]\.box\.width` is 3; expected a number above 0, up to 1\.$/ },
  },
  {
    body: {
      regions: [
        {
          polygon: [
            [0, 0],
            [1, 1],
            [1, 0],
            [0, 1],
          ],
        },
      ],
    },
    details: { regions: /sides do not cross/ },
  },
  {
    body: { redaction_method: "paint" },
    details: { redaction_method: /expected one of blur, pixelation\.$/ },
  },
  { body: { audio: "mute" }, details: { audio: /it is for videos only/ }, only: "image" },
  { body: { audio: "loud" }, details: { audio: /is "loud"; expected one of keep, mute/ } },
  { body: { exept: ["det_a_1"] }, details: { exept: /the nearest known one is `except`/ } },
  { body: '{"regions": [{"box": {"x": NaN}}]}', details: { body: /not JSON/ } },
  {
    body: '{"regions": [{"box": {"x": 1e999}}]}',
    details: { regions: /^`regions\[0\]\.box\.x` is 1e999;/ },
  },
  {
    body: '{"redact": "all", "redact": "none"}',
    details: { redact: /^`redact` is given more than once;/ },
  },
  {
    body: '{"regions": [{"box": {"x": 0, "x": 1, "y": 0, "width": 1, "height": 1}}]}',
    details: { regions: /^`regions\[0\]\.box\.x` is given more than once;/ },
  },
  { body: "", details: { body: /expected application\/json with a body|not JSON/ } },
  { body: [], details: { body: /expected a JSON object/ } },
  {
    body: '{"__proto__": 1, "constructor": 2}',
    details: { __proto__: /unknown property/, constructor: /unknown property/ },
  },
  { body: { redact: "x", except: 1, regions: 2 }, details: { redact: /./, except: /./, regions: /./ } },
];
