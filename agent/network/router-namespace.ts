import { access, mkdir, statfs, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { runTool } from './run-tool.ts'

/*
 * The file that keeps the router's network namespace. It is alone in its folder, which is a mount of its own that nobody can
 * bind elsewhere: so the mount of the namespace is in no second place of this mount namespace, and the file can be removed. A
 * folder that `ip netns` uses is shared with other mounts of it, and its files may stay busy.
 */

/** Makes a new network namespace at the path, whose folder must not exist. */
export async function makeNamespace(path: string): Promise<void> {
  const call = { slug: 'network_namespace' } as const
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await runTool(['mount', '--bind', '--make-unbindable', folder, folder], call)
  await writeFile(path, '')
  await runTool(['unshare', `--net=${path}`, 'true'], call)
}

/** Unmounts whatever an agent that was killed left there, in this or in another mount namespace. */
const removal = `while umount --lazy "$1" 2>/dev/null; do :; done
rm -f "$1/$2" && rmdir "$1"`

/** Whether anything of the namespace is left: its folder is the first that is made and the last that is removed. */
export const hasNamespace = (path: string): Promise<boolean> =>
  access(dirname(path)).then(
    () => true,
    () => false,
  )

/** Removes the namespace and its folder; processes in the namespace keep it until they end. */
export async function removeNamespace(path: string): Promise<void> {
  if (!(await hasNamespace(path))) return
  const folder = dirname(path)
  const name = path.slice(folder.length + 1)
  await runTool(['sh', '-c', removal, 'sh', folder, name], { slug: 'network_cleanup' })
}

/** Type of the file system of namespace files, from linux/magic.h. */
const nsfsMagic = 0x6e736673

/**
 * Whether the path is a namespace. It is a plain file where the mount of the namespace was in the mount namespace of an
 * earlier agent, as it is for a service with mounts of its own.
 */
export const isNamespace = (path: string): Promise<boolean> =>
  statfs(path).then(
    ({ type }) => type === nsfsMagic,
    () => false,
  )
