/**
 * The line of one file in the list of uploads.
 *
 * @typedef {ReturnType<typeof addUploadRow>} UploadRow
 */

/**
 * Adds the line of a file to the list.
 *
 * @param {Element} list
 * @param {{ readonly name: string, readonly choices: string }} file `choices` says what will be done with it.
 */
export function addUploadRow(list, { name, choices }) {
  const row = document.createElement("li");
  const title = document.createElement("span");
  title.textContent = name;
  const state = document.createElement("span");
  const chosen = document.createElement("small");
  chosen.textContent = choices;
  const bar = document.createElement("progress");
  bar.max = 1;
  bar.setAttribute("aria-label", `Upload of ${name}`);
  /** @param {string} text */
  const start = (text) => {
    state.textContent = text;
    bar.value = 0;
    row.replaceChildren(title, state, chosen, bar);
  };
  start("waiting");
  list.append(row);
  return {
    /** The file waits for its turn. */
    wait() {
      start("waiting");
    },
    /** @param {number} share How much of the file was sent, from 0 to 1. */
    progress(share) {
      bar.value = share;
      state.textContent = share >= 1 ? "storing" : `${Math.floor(share * 100)}%`;
    },
    /**
     * The file is sent again after a pause.
     *
     * @param {string} why
     * @param {number} seconds
     */
    pause(why, seconds) {
      bar.value = 0;
      state.textContent = `trying again in ${seconds} s`;
      chosen.textContent = why;
    },
    /** The pause is over. */
    resume() {
      chosen.textContent = choices;
    },
    /** @param {string} address Where the media is. */
    done(address) {
      const link = document.createElement("a");
      link.href = address;
      link.textContent = name;
      state.textContent = "uploaded";
      row.replaceChildren(link, state, chosen);
    },
    /**
     * The file was not accepted.
     *
     * @param {string} why
     * @param {(() => void) | undefined} again What a button to try again does, where that may help.
     */
    refuse(why, again) {
      state.textContent = "refused";
      const text = document.createElement("p");
      text.className = "fault";
      text.textContent = why;
      chosen.textContent = choices;
      row.replaceChildren(title, state, chosen, text);
      if (again === undefined) return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Try again";
      button.setAttribute("aria-label", `Try again: ${name}`);
      button.addEventListener("click", again);
      row.append(button);
    },
  };
}
