import { ByteReader } from '../formats/byte-reader.ts'
import { parseEntryPath } from '../formats/entry-path.ts'
import type { RawEntry } from '../formats/raw-entry.ts'
import { readTar } from '../formats/tar/tar-reader.ts'
import { flatImageBounds } from '../images/flat-image.ts'
import { type ContentReader, WholeFile } from './content-reader.ts'
import { CoveredPaths } from './covered-paths.ts'
import { factsOf } from './file-facts.ts'
import { type Inventory, inventoryBounds, type LayerInventory } from './inventory.ts'
import { InventoryMaker } from './inventory-maker.ts'
import {
  isApkDatabase,
  isDpkgStatus,
  isOsRelease,
  readApkDatabase,
  readDpkgStatus,
  readOsRelease,
} from './packages/distribution.ts'
import { GoBuildInfo } from './packages/go.ts'
import { isJavaArchive, readJavaArchive } from './packages/java.ts'
import {
  isGemSpecification,
  isNpmManifest,
  isPythonMetadata,
  readGemSpecification,
  readNpmManifest,
  readPythonMetadata,
} from './packages/language-packages.ts'
import { isRpmDatabase, isUnreadRpmDatabase, readRpmDatabase } from './packages/rpm.ts'
import { SecretSearch } from './secret-search.ts'

/*
 * Reads the layer of an image once, from its first byte to its last, and keeps only its findings: installed
 * packages and suspicious files. The image is untrusted, so a finding is only a claim,
 * each reader is bounded, and all of this runs in a reader process that may be killed at any moment.
 */

type ReadFile = (content: Buffer, path: string, maker: InventoryMaker) => void

/** Files that are read as a whole, by path. */
const knownFiles: readonly { matches: (path: string) => boolean; read: ReadFile; maxBytes?: number }[] = [
  { matches: isDpkgStatus, read: readDpkgStatus },
  { matches: isApkDatabase, read: readApkDatabase },
  { matches: isPythonMetadata, read: readPythonMetadata },
  { matches: isNpmManifest, read: readNpmManifest },
  { matches: isGemSpecification, read: readGemSpecification },
  { matches: isJavaArchive, read: readJavaArchive },
  { matches: isOsRelease, read: addSystem },
  { matches: isRpmDatabase, read: readRpmDatabase, maxBytes: inventoryBounds.rpmDatabaseBytes },
]

/** Throws `ArchiveRefused` if the bytes are not a tar in the dialect of stored images. */
export const scanLayer = (tar: AsyncIterable<Buffer>): Promise<Inventory> => scan(tar, () => false)

/** Scans a layer above others, and finds which of `paths` it hides or replaces. */
export async function scanUpperLayer(tar: AsyncIterable<Buffer>, paths: string[]): Promise<LayerInventory> {
  const covered = new CoveredPaths(paths)
  const inventory = await scan(tar, (path, kind) => covered.add(path, kind))
  return { ...inventory, hidden: covered.indexes() }
}

/** `isWhiteout` is called for every entry but the root. */
async function scan(
  tar: AsyncIterable<Buffer>,
  isWhiteout: (path: string, kind: RawEntry['kind']) => boolean,
): Promise<Inventory> {
  const maker = new InventoryMaker()
  for await (const entry of readTar(new ByteReader(tar))) {
    const kind = entry.kind === 'directory' ? 'directory' : 'other'
    const path = parseEntryPath(entry.name, kind, flatImageBounds)
    if (path !== '' && isWhiteout(path, entry.kind)) continue
    for (const rule of factsOf(entry)) maker.addObservation({ rule, path: path === '' ? '/' : path })
    if (entry.kind === 'file') await readFile(entry, path, maker)
  }
  return maker.inventory()
}

async function readFile(entry: RawEntry, path: string, maker: InventoryMaker): Promise<void> {
  maker.files += 1
  maker.bytes += entry.byteSize
  if (isUnreadRpmDatabase(path, entry.byteSize)) maker.addUnread({ path, reason: 'rpm_database' })
  const readers = readersOf(entry, path, maker)
  for await (const chunk of entry.body) for (const reader of readers) reader.write(chunk)
  for (const reader of readers) reader.end()
}

function readersOf({ byteSize }: RawEntry, path: string, maker: InventoryMaker): ContentReader[] {
  const whole = knownFiles
    .filter(({ matches }) => matches(path))
    .map(({ read, maxBytes = inventoryBounds.wholeFileBytes }) => {
      const file = { path, byteSize, maxBytes }
      return new WholeFile(file, maker, (content) => read(content, path, maker))
    })
  return [...whole, new SecretSearch(path, maker), new GoBuildInfo(path, maker)]
}

function addSystem(content: Buffer, path: string, maker: InventoryMaker): void {
  const system = readOsRelease(content)
  if (system) maker.addSystem(system, path)
}
