import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { fileSystemSupport } from './file-systems.ts'

const kernel = {
  'proc/filesystems': 'nodev\tsysfs\nnodev\ttmpfs\n\text4\n',
  'proc/sys/kernel/modules_disabled': '0\n',
  'proc/sys/kernel/osrelease': '6.12.0-cloud-amd64\n',
  'lib/modules/6.12.0-cloud-amd64/modules.alias': '# Aliases\nalias fs-overlay overlay\nalias fs-fuse fuse\n',
}

async function supportIn(changes: Partial<Record<keyof typeof kernel, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'kernel-'))
  try {
    for (const [path, text] of Object.entries({ ...kernel, ...changes })) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    }
    return await fileSystemSupport('overlay', root)
  } finally {
    await rm(root, { recursive: true })
  }
}

test.each<[string, Parameters<typeof supportIn>[0], string]>([
  ['loaded', { 'proc/filesystems': 'nodev\toverlay\n' }, 'known'],
  ['a module that is not loaded yet', {}, 'module'],
  ['a module, and the kernel loads none any more', { 'proc/sys/kernel/modules_disabled': '1\n' }, 'unknown'],
  ['a module of another kernel', { 'proc/sys/kernel/osrelease': '6.13.0\n' }, 'unknown'],
  [
    'nowhere',
    { 'lib/modules/6.12.0-cloud-amd64/modules.alias': '# Aliases\nalias fs-fuse fuse\n' },
    'unknown',
  ],
])('a file system that is %s', async (_name, changes, support) => {
  expect(await supportIn(changes)).toBe(support)
})
