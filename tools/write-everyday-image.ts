import { access, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeDebian } from '../server/operations/host/debian.ts'
import { runCommand } from '../server/operations/host/run-command.ts'
import { everydayImage, everydayPackages } from '../testing/agent/everyday/everyday-image.ts'

/** Makes the image of everyday programs unless it exists. Needs root and `mmdebstrap`. */
async function writeEverydayImage(target: string): Promise<void> {
  const work = await mkdtemp(join(dirname(target), 'everyday-'))
  try {
    const [root, tar] = [join(work, 'root'), join(work, 'image.tar')]
    await makeDebian(root, { suite: 'bookworm', packages: everydayPackages })
    await runCommand('install', ['-D', process.execPath, join(root, 'usr/local/bin/node')])
    await runCommand('tar', ['-C', root, '--numeric-owner', '--sort=name', '-cf', tar, '.'])
    await rename(tar, target)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const target = await everydayImage()
const isThere = await access(target).then(
  () => true,
  () => false,
)
if (!isThere) await writeEverydayImage(target)
