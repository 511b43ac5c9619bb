import {
  IgnoreFile,
  IgnoreFileRefused,
  ignoreFileNames,
} from '@sandbox-jobs/contract/ignore-file/ignore-file.ts'
import { checkDockerfile, type Dockerfile, MAX_DOCKERFILE_BYTES } from '../dockerfile/dockerfile.ts'
import { DockerfileRefused } from '../dockerfile/dockerfile-refused.ts'
import { withMountChecks } from '../dockerfile/mount-checks.ts'
import { mountsOf } from '../dockerfile/mount-flag.ts'
import type { ArchiveBounds, ArchiveEntry } from '../formats/archive.ts'
import { ArchiveRefused, onEntry } from '../formats/archive-refused.ts'
import { ContextTree } from '../formats/context-tree.ts'
import { entriesIn, onlyFolder } from '../formats/only-folder.ts'

/** The facts that decide how the entries of a context are used. */
export interface ContextHead {
  dockerfile: Dockerfile
  /** Where the Dockerfile is: `Dockerfile`, and the file that it leads to. */
  dockerfilePaths: ReadonlySet<string>
  tree: ContextTree
  /** Whether the build sees the entry: no ignore file hides it. */
  isSeen: (path: string) => boolean
  /** The entries of the context. */
  open: () => Entries
  /** The folder of the archive that is the context; absent if the archive is. */
  folder?: string
}

type Entries = AsyncIterable<ArchiveEntry>

interface ContextReading {
  open: () => Entries
  bounds: ArchiveBounds
  /** Passes on the entries of each reading of all; the last is that of the context. */
  watch?: (entries: Entries) => Entries
}

/**
 * Reads all entries, and those that come before the Dockerfile's a second time if it is a link. Where all is in one folder
 * with a Dockerfile, that folder is the context, and its entries are read again.
 */
export async function readContextHead({
  open,
  bounds,
  watch = (entries) => entries,
}: ContextReading): Promise<ContextHead> {
  const top = await readNamed(watch(open()))
  const folder = top.tree.has('Dockerfile') ? undefined : onlyFolder(top.tree.topNames)
  if (folder === undefined || !top.tree.has(`${folder}/Dockerfile`)) return headOf(top, open)
  const openFolder = () => entriesIn(folder, open(), bounds)
  return { ...(await headOf(await readNamed(watch(openFolder())), openFolder)), folder }
}

interface NamedContents {
  tree: ContextTree
  /** Of the Dockerfile and ignore files. */
  contents: ReadonlyMap<string, Buffer>
}

async function readNamed(entries: Entries): Promise<NamedContents> {
  const tree = new ContextTree()
  const contents = new Map<string, Buffer>()
  for await (const entry of entries) {
    tree.add(entry)
    if (entry.body === undefined) continue
    if (entry.path === 'Dockerfile') contents.set(entry.path, await dockerfileOf(entry))
    else if (ignoreFileNames.includes(entry.path)) contents.set(entry.path, await wholeOf(entry.body))
  }
  return { tree, contents }
}

async function headOf({ tree, contents }: NamedContents, open: () => Entries): Promise<ContextHead> {
  const dockerfilePaths = new Set(['Dockerfile', ...dockerfileIn(tree)])
  const text = contents.get('Dockerfile') ?? (await linkedDockerfile(open(), dockerfilePaths))
  const dockerfile = withMountChecks(checkDockerfile(text))
  const ignoreFile = ignoreFileOf(contents)
  const isSeen = (path: string) => !ignoreFile?.ignores(path)
  checkMounts(dockerfile, (path) => path === '' || (tree.isPlain(path) && tree.sees(path, isSeen)))
  return { dockerfile, dockerfilePaths, tree, isSeen, open }
}

/** The builder finds nothing on the way to the source of a mount that it could follow elsewhere. */
function checkMounts({ instructions }: Dockerfile, isPlain: (path: string) => boolean): void {
  for (const instruction of instructions) {
    for (const { contextPath } of mountsOf(instruction)) {
      if (contextPath !== undefined && !isPlain(contextPath))
        throw new DockerfileRefused('mount_source_missing', instruction.line)
    }
  }
}

function dockerfileIn(tree: ContextTree): string[] {
  if (tree.folders.has('Dockerfile')) throw new ArchiveRefused('dockerfile_not_a_file')
  const file = tree.fileAt('Dockerfile')
  if (file === undefined)
    throw new ArchiveRefused(tree.has('Dockerfile') ? 'dockerfile_link' : 'dockerfile_missing')
  return [file]
}

async function linkedDockerfile(
  entries: AsyncIterable<ArchiveEntry>,
  paths: ReadonlySet<string>,
): Promise<Buffer> {
  for await (const entry of entries) {
    if (paths.has(entry.path) && entry.body) return await dockerfileOf(entry)
  }
  throw new ArchiveRefused('dockerfile_link')
}

async function dockerfileOf({ body, byteSize }: ArchiveEntry): Promise<Buffer> {
  if (byteSize > MAX_DOCKERFILE_BYTES) throw new DockerfileRefused('dockerfile_too_large', 1)
  return await wholeOf(body ?? [])
}

/** As in BuildKit, an empty ignore file of the Dockerfile leaves the decision to the general one. */
function ignoreFileOf(contents: ReadonlyMap<string, Buffer>): IgnoreFile | undefined {
  const name = ignoreFileNames.find((each) => (contents.get(each)?.length ?? 0) > 0)
  const content = name === undefined ? undefined : contents.get(name)
  return name !== undefined && content ? onEntry(Buffer.from(name), () => readIgnoreFile(content)) : undefined
}

function readIgnoreFile(content: Buffer): IgnoreFile {
  try {
    return new IgnoreFile(content)
  } catch (error) {
    throw error instanceof IgnoreFileRefused ? new ArchiveRefused(error.slug) : error
  }
}

export async function wholeOf(stream: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const bytes of stream) chunks.push(bytes)
  return Buffer.concat(chunks)
}
