import { categoriesOf, readManifest, type Manifest } from "./manifest.ts";
import { isThere } from "./names.ts";
import { networkPath } from "./network-path.ts";

/**
 * The manifests to load: all except those of specialists whose network file is missing, if another model serves their category.
 * A network that is present but differs from its pinned hash is not skipped here: it fails to load.
 * @param onMissing Called for each manifest that is left out.
 */
export async function withoutMissingSpecialists(
  paths: readonly string[],
  onMissing: (manifest: Manifest) => void,
): Promise<string[]> {
  const models = await Promise.all(
    paths.map(async (path) => {
      const manifest = await readManifest(path);
      const network = networkPath(path, manifest);
      return { path, manifest, isThere: network !== undefined && (await isThere(network)) };
    }),
  );
  return models
    .filter(({ manifest, isThere: isFileThere }) => {
      const category = manifest.specialist?.category;
      if (isFileThere || category === undefined) return true;
      const hasOthers = models.some(
        (other) =>
          other.manifest !== manifest && other.isThere && categoriesOf(other.manifest).includes(category),
      );
      if (hasOthers) onMissing(manifest);
      return !hasOthers;
    })
    .map(({ path }) => path);
}
