import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { agentPaths } from '../agent/host/paths.ts'
import { readConfig } from '../server/base/config/config.ts'
import { importBase } from '../server/operations/host/base-images.ts'
import { runCommand } from '../server/operations/host/run-command.ts'

/*
 * Makes the base image `curated/tiny:1` for tests in the store of the data folder, unless it is there: busybox and bash of this machine.
 * Most builds of tests need no more, and each company of a test exports, scans and installs its base images anew. Needs root.
 */

const name = 'curated/tiny:1'

/** The shell's folder and tar. `true` is a file, not a link to busybox, since tests change its mode. */
const script = `
root=$1
cd "$root"
mkdir -p bin dev etc/skel proc root run sys tmp usr/bin var workspace
chmod 1777 tmp
cp /bin/busybox bin/busybox
for program in $(busybox --list); do
  case $program in busybox | true) ;; *) ln -s busybox "bin/$program" ;; esac
done
cp --parents --dereference /bin/bash $(ldd /bin/bash | grep -o '/[^ ]*') .
printf '#!/bin/sh\\n' >bin/true
chmod 755 bin/true
echo 'root:x:0:0:root:/root:/bin/sh' >etc/passwd
echo 'root:x:0:' >etc/group
echo tiny >etc/issue
echo true >etc/skel/.bashrc
tar --numeric-owner --owner=0 --group=0 --sort=name -cf "$2" .
`

const paths = agentPaths(readConfig().dataDir)
const images = await readFile(join(paths.baseImages, 'overlay-images/images.json'), 'utf8').catch(() => '')
if (!images.includes(`"localhost/${name}"`)) {
  await importBase(paths, name, async (tar) => {
    const root = join(dirname(tar), 'root')
    await runCommand('mkdir', [root])
    await runCommand('sh', ['-seu', root, tar], { input: script })
  })
}
