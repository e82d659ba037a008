/** Stops a call; it then throws the signal's reason. */
export interface Stoppable {
  readonly signal?: AbortSignal | undefined;
}
