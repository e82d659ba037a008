import { categoriesOf, readManifest, type Manifest } from "./manifest.ts";
import { isThere } from "./names.ts";
import { networkPath } from "./network-path.ts";

/**
 * The manifests to load: all but those of specialists whose network is not there, where another model serves their category.
 * A network that is there and is another one than pinned is no matter of this: it does not load.
 * @param onMissing Told of each that is left out.
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
