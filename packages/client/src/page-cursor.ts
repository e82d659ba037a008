/** The cursor in the URL of the next page; undefined after the last page. */
export function cursorIn(nextUrl: string | null): string | undefined {
  return nextUrl === null ? undefined : (new URL(nextUrl).searchParams.get("cursor") ?? undefined);
}
