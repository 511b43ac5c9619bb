import { createHash } from 'node:crypto'
import {
  access,
  chmod,
  chown,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { diskIdBase } from '../host/paths.ts'

export interface PlatformLayer {
  path: string
  /** `sha256:` and hex over the layer's content. */
  digest: string
}

/** Folders that every sandbox has, with their modes. */
const folders: [string, number][] = [
  ['.sandbox', 0o755],
  ['dev', 0o755],
  ['etc', 0o755],
  ['proc', 0o755],
  ['sys', 0o755],
  ['sys/fs', 0o755],
  ['sys/fs/cgroup', 0o755],
  ['tmp', 0o1777],
  ['workspace', 0o755],
]

/**
 * Makes the layer above every image: the static shell, process 1, the unpacker, and real folders at the mount points, so
 * that an image's symlink at one of these names is hidden and never followed. There is one folder per content, because live
 * sandboxes keep using the layer they started with.
 */
export async function makePlatformLayer(
  parent: string,
  programs: { busybox: string; init: string; unpack: string },
  /** Contents of files in /etc by name; the image's other files in /etc stay visible. */
  etc: Record<string, string>,
): Promise<PlatformLayer> {
  const hash = createHash('sha256').update(JSON.stringify([folders, etc]))
  for (const path of Object.values(programs)) hash.update(await readFile(path))
  const hex = hash.digest('hex')
  const target = join(parent, hex.slice(0, 16))
  const layer = { path: target, digest: `sha256:${hex}` }
  const known = await access(target).then(
    () => true,
    () => false,
  )
  if (known) return layer
  await mkdir(parent, { recursive: true, mode: 0o700 })
  const fresh = await mkdtemp(join(parent, 'new-'))
  try {
    await own(fresh, 0o755)
    for (const [name, mode] of folders) {
      await mkdir(join(fresh, name))
      await own(join(fresh, name), mode)
    }
    for (const [name, path] of Object.entries(programs)) {
      await copyFile(path, join(fresh, '.sandbox', name))
      await own(join(fresh, '.sandbox', name), 0o755)
    }
    for (const [name, text] of Object.entries(etc)) {
      await writeFile(join(fresh, 'etc', name), text)
      await own(join(fresh, 'etc', name), 0o644)
    }
    await rename(fresh, target)
  } catch (error) {
    await rm(fresh, { recursive: true, force: true })
    throw error
  }
  return layer
}

async function own(path: string, mode: number): Promise<void> {
  await chown(path, diskIdBase.platform, diskIdBase.platform)
  await chmod(path, mode)
}
