import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { agentPaths } from '../agent/host/paths.ts'
import { readConfig } from '../server/base/config/config.ts'
import { importBase } from '../server/operations/host/base-images.ts'
import { runCommand } from '../server/operations/host/run-command.ts'

/*
 * Makes two base images for tests in the store of the data folder, unless they are there. Most builds of tests need no more, and each
 * company of a test exports, scans and installs its base images anew: of a Debian that takes 20 s of processor time. Needs root.
 */

/** The shell's folder and tar. `true` is a file, not a link to busybox, since tests change its mode. `/bin` is a link, as in Debian. */
const shell = `
root=$1
cd "$root"
mkdir -p dev etc/skel proc root run sys tmp usr/bin var workspace
ln -s usr/bin bin
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
`

/** Debian's Python of this machine, without what no step of a test imports. */
const python = `
program=$(readlink -f /usr/bin/python3)
modules=$("$program" -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
libraries=$(ldd "$program" "$modules"/lib-dynload/*.so | awk '$2 == "=>" { print $3 }' | sort -u)
cp --parents --dereference "$program" $libraries .
ln -s "\${program##*/}" usr/bin/python3
tar -C / --exclude=__pycache__ --exclude=config-* --exclude=idlelib --exclude=lib2to3 --exclude=pydoc_data --exclude=test \
  -c ".$modules" | tar -x
`

const pack = `tar --numeric-owner --owner=0 --group=0 --sort=name -cf "$2" .`

/** Busybox and bash, and the same with Python, of this machine. */
const images = {
  'curated/tiny:2': [shell, pack],
  'curated/tiny-python:1': [shell, python, pack],
}

const paths = agentPaths(readConfig().dataDir)
const made = await readFile(join(paths.baseImages, 'overlay-images/images.json'), 'utf8').catch(() => '')
for (const [name, script] of Object.entries(images)) {
  if (made.includes(`"localhost/${name}"`)) continue
  await importBase(paths, name, async (tar) => {
    const root = join(dirname(tar), 'root')
    await runCommand('mkdir', [root])
    await runCommand('sh', ['-seu', root, tar], { input: script.join('') })
  })
}
