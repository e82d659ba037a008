/** Icons of 24×24 units, stroked in the color of the surrounding text. They only repeat what the text says. */
const PATHS = {
  overview: "M4 13h6V4H4zM14 20h6V4h-6zM4 20h6v-4H4z",
  media: "M4 5h16v14H4zM4 16l5-5 4 4 2-2 5 5M15.5 9.5h.01",
  keys: "M14.5 9.5a4 4 0 1 1-4-4 4 4 0 0 1 4 4zM13.4 12.3 20 19m-3-3-2 2",
  webhooks: "M12 9a3 3 0 1 1 2.6-1.5L17 13m-5-4-3.5 6M7 13.5a3 3 0 1 0 3 3h7m0-3.5a3 3 0 1 1-2.8 4",
  team: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.3a3.5 3.5 0 0 1 0 6.4M18 14.2a6.5 6.5 0 0 1 3.5 5.8",
  security: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4",
  system: "M4 4h16v7H4zM4 13h16v7H4zM7 7.5h.01M7 16.5h.01M11 7.5h6M11 16.5h6",
  plan: "M4 6h16v12H4zM4 10h16M8 15h3",
  audit: "M6 3h9l4 4v14H6zM9 9h6M9 13h7M9 17h7",
  review: "M2 12s4-6 10-6 10 6 10 6-4 6-10 6S2 12 2 12zM9.5 12l2 2 3.5-4",
  docs: "M5 4h6a2 2 0 0 1 1 .5A2 2 0 0 1 13 4h6v15h-6a1 1 0 0 0-1 1 1 1 0 0 0-1-1H5zM12 4.5V20",
  list: "M4 6h16M4 12h16M4 18h16",
  grid: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  edit: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  upload: "M12 16V4m0 0L7 9m5-5 5 5M4 16v4h16v-4",
  download: "M12 4v12m0 0 5-5m-5 5-5-5M4 20h16",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13",
  search: "M10.5 17a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13zM20 20l-4.8-4.8",
  close: "M6 6l12 12M18 6 6 18",
  video: "M3 6h12v12H3zM15 10l6-3v10l-6-3",
  undo: "M9 7 4 12l5 5M4 12h10a6 6 0 0 1 6 6v1",
  retry: "M20 4v6h-6M19.4 10A8 8 0 1 0 20 13",
  redo: "M15 7l5 5-5 5M20 12H10a6 6 0 0 0-6 6v1",
  eye: "M2 12s4-6 10-6 10 6 10 6-4 6-10 6S2 12 2 12zM12 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
