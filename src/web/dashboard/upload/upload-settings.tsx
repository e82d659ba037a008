import type { Child } from "hono/jsx";
import type { RedactionCategory } from "../../../ground/vocabulary/categories.ts";
import type { UploadOptions } from "./upload.data.ts";
import { shownName } from "../parts/format.tsx";
import { CATEGORY_GROUPS, presetsOf } from "./upload-choices.ts";

/** The settings of an upload: a preset or single categories, the method, and rarely needed options. */
export function UploadSettings({ options }: { options: UploadOptions }) {
  return (
    <div class="upload-settings" data-settings>
      <Presets served={options.served} />
      <Categories served={options.served} />
      <fieldset>
        <legend>How it looks</legend>
        <div class="cards">
          <Choice type="radio" name="redaction_method" value="blur" isChecked about="Soft patches of color">
            Blur
          </Choice>
          <Choice type="radio" name="redaction_method" value="pixelation" about="Large squares of color">
            Pixelation
          </Choice>
        </div>
        <p class="hint">
          Neither effect can be reversed. License plates, text, cards and codes always become a plain gray
          area, because blurred text can sometimes be recovered.
        </p>
      </fieldset>
      <MoreSettings hasSensitivity={options.hasSensitivity} />
    </div>
  );
}

function Presets({ served }: { served: readonly RedactionCategory[] }) {
  return (
    <fieldset data-presets>
      <legend>What to redact</legend>
      <div class="cards">
        {presetsOf(served).map(({ name, title, says, categories }, index) => (
          <Choice
            type="radio"
            name="preset"
            value={name}
            isChecked={index === 0}
            about={says}
            data={{ "data-categories": categories.join(" ") }}
          >
            {title}
          </Choice>
        ))}
        <Choice type="radio" name="preset" value="own" about="Choose single categories">
          Your choice
        </Choice>
      </div>
      <template data-own-preset>
        <div class="card-choice">
          <input type="radio" name="preset" />
          <label />
          <small />
          <button type="button" class="bare">
            ×
          </button>
        </div>
      </template>
    </fieldset>
  );
}

function Categories({ served }: { served: readonly RedactionCategory[] }) {
  return (
    <details class="more" data-categories>
      <summary>
        Categories: <span data-chosen />
      </summary>
      <div class="category-groups">
        {CATEGORY_GROUPS.map(({ title, categories }) => {
          const shown = Object.entries(categories).filter(([name]) => served.some((one) => one === name));
          if (shown.length === 0) return null;
          return (
            <fieldset>
              <legend>{title}</legend>
              {shown.map(([name, about]) => (
                <Choice type="checkbox" name="categories[]" value={name} about={about}>
                  {shownName(name)}
                </Choice>
              ))}
            </fieldset>
          );
        })}
      </div>
      <div class="save-preset">
        <label for="preset-name">Save these settings as</label>
        <div class="joined inline">
          <input
            id="preset-name"
            type="text"
            maxlength={40}
            placeholder="Name of the preset"
            data-preset-name
          />
          <button type="button" data-save-preset>
            Save preset
          </button>
        </div>
        <p class="hint" data-preset-note>
          Kept in this browser only.
        </p>
      </div>
    </details>
  );
}

function MoreSettings({ hasSensitivity }: { hasSensitivity: boolean }) {
  return (
    <details class="more" data-more>
      <summary>More settings</summary>
      <div class="more-settings">
        {hasSensitivity && (
          <fieldset>
            <legend>Sensitivity</legend>
            <Choice type="radio" name="sensitivity" value="low" about="Fewer false masks, more misses">
              Low
            </Choice>
            <Choice type="radio" name="sensitivity" value="normal" isChecked about="The usual balance">
              Normal
            </Choice>
            <Choice type="radio" name="sensitivity" value="high" about="Fewer misses, more false masks">
              High
            </Choice>
          </fieldset>
        )}
        <fieldset>
          <legend>Files</legend>
          <Choice
            type="checkbox"
            name="audio"
            value="mute"
            about="Voices can identify people. Does not affect photos"
          >
            Remove the sound of videos
          </Choice>
          {hasSensitivity && (
            <Choice
              type="checkbox"
              name="audio"
              value="mute_speech"
              about="Music and noise stay where nobody speaks"
            >
              Mute speech in videos
            </Choice>
          )}
          <Choice
            type="checkbox"
            name="detect_only"
            value="true"
            about="Nothing is redacted until someone has checked and approved it."
          >
            Review before redacting
          </Choice>
        </fieldset>
      </div>
    </details>
  );
}

/** A radio button or checkbox as a card with a name and a description. */
function Choice({
  type,
  name,
  value,
  about,
  isChecked = false,
  data = {},
  children,
}: {
  type: "radio" | "checkbox";
  name: string;
  value: string;
  about: string;
  isChecked?: boolean;
  data?: Readonly<Record<`data-${string}`, string>>;
  children?: Child;
}) {
  const id = `${name.replace("[]", "")}-${value}`;
  return (
    <div class="card-choice">
      <input
        type={type}
        id={id}
        name={name}
        value={value}
        checked={isChecked}
        aria-describedby={`${id}-about`}
        {...data}
      />
      <label for={id}>{children}</label>
      <small id={`${id}-about`}>{about}</small>
    </div>
  );
}
