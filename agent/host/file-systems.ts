import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** `module`: the kernel loads it when something first mounts it. */
export type FileSystemSupport = 'known' | 'module' | 'unknown'

/** Whether the kernel has a file system, or a module of it that it may load. `root` is the top folder, for tests. */
export async function fileSystemSupport(kind: string, root = '/'): Promise<FileSystemSupport> {
  const read = (path: string) => readFile(join(root, path), 'utf8').catch(() => '')
  if ((await read('proc/filesystems')).split(/\s+/).includes(kind)) return 'known'
  const mayLoad = (await read('proc/sys/kernel/modules_disabled')).trim() === '0'
  const release = (await read('proc/sys/kernel/osrelease')).trim()
  const aliases = await read(`lib/modules/${release}/modules.alias`)
  return mayLoad && aliases.includes(`\nalias fs-${kind} `) ? 'module' : 'unknown'
}
