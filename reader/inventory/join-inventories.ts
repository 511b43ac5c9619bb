import { type Inventory, inventoryBounds, type LayerInventory, type Package } from './inventory.ts'
import { InventoryMaker } from './inventory-maker.ts'

/** Where the operating system is described. */
const systemPaths = ['etc/os-release', 'usr/lib/os-release']

/** Every path that decides about a finding of an image; a layer above is scanned with them. */
export const decidingPaths = ({ packages, observations, unread }: Inventory): string[] => [
  ...new Set([
    ...systemPaths,
    ...packages.flatMap(({ paths }) => paths),
    ...observations.map(({ path }) => path),
    ...unread.map(({ path }) => path),
  ]),
]

/**
 * The inventory of an image with a layer above it, which was scanned with the deciding paths of the image: what the layer hides
 * is left out. `files` and `bytes` count what was read in both.
 */
export function joinInventories(image: Inventory, layer: LayerInventory): Inventory {
  const paths = decidingPaths(image)
  const hidden = new Set(layer.hidden.map((index) => paths[index]))
  const maker = new InventoryMaker()
  const add = ({ packages, observations, unread }: Inventory, isHidden: (path: string) => boolean) => {
    for (const { paths: found, ...named } of packages) {
      for (const path of found) if (!isHidden(path)) maker.addPackage(named, path)
    }
    for (const observation of observations) {
      if (!isHidden(observation.path)) maker.addObservation(observation)
    }
    for (const one of unread) if (!isHidden(one.path)) maker.addUnread(one)
  }
  add(image, (path) => hidden.has(path))
  add(layer, () => false)
  const joined = maker.inventory()
  const isSystemHidden = systemPaths.some((path) => hidden.has(path))
  return {
    ...joined,
    system: layer.system ?? (isSystemHidden ? undefined : image.system),
    truncated: joined.truncated || image.truncated || layer.truncated || image.packages.some(mayBeElsewhere),
    files: image.files + layer.files,
    bytes: image.bytes + layer.bytes,
  }

  /** Only the first paths of a package are known: if all of them are hidden, others may be left. */
  function mayBeElsewhere({ paths: found }: Package): boolean {
    return found.length === inventoryBounds.pathsPerPackage && found.every((path) => hidden.has(path))
  }
}
