import { compiledProbe } from '../../../testing/agent/probe/attempts.ts'
import type { Table } from '../attempt.ts'
import type { Testbed } from '../testbed.ts'

/** Names that an image takes for links to the host's canary, and where a program would find it then. */
const reserved =
  `dev proc sys run tmp workspace .sandbox base-images etc bin root var home mnt dev/shm dev/pts
  workspace/artifacts proc/sys tmp/x`.split(/\s+/)
const files =
  `etc/passwd etc/group etc/hosts etc/hostname etc/ld.so.preload etc/resolv.conf etc/nsswitch.conf`.split(
    /\s+/,
  )

/** Runs on an image whose reserved names are links out of it. */
async function linkedOut({ agent, canaries }: Testbed): Promise<Table> {
  const folders = reserved.filter((name) => !name.includes('/') && name !== 'etc')
  const linked = await agent.image([
    ...folders.map((name): [{ name: string; type: 'symlink'; linkname: string }] => [
      { name, type: 'symlink', linkname: canaries.folder },
    ]),
    ...files.map((name): [{ name: string; type: 'symlink'; linkname: string }] => [
      { name, type: 'symlink', linkname: `${canaries.folder}/canary` },
    ]),
  ])
  return {
    class: 'images',
    spec: { rootfs: { kind: 'image', digest: linked } },
    attempts: [
      ...reserved.map((name) => ({
        name: `read_${name.replaceAll(/\W/g, '_')}`,
        what: `reads the canary through the image's link at /${name}`,
        command: `cat /${name}/canary`,
      })),
      ...reserved.map((name) => ({
        name: `write_${name.replaceAll(/\W/g, '_')}`,
        what: `writes through the image's link at /${name}`,
        command: `echo escaped >/${name}/planted; rm /${name}/canary; false`,
      })),
      ...files.map((name) => ({
        name: `file_${name.replaceAll(/\W/g, '_')}`,
        what: `reads through the image's link at /${name}`,
        command: `grep -q canary- /${name}`,
      })),
      ...files.map((name) => ({
        name: `append_${name.replaceAll(/\W/g, '_')}`,
        what: `writes through the image's link at /${name}`,
        command: `echo escaped >>/${name}; false`,
      })),
    ],
  }
}

/** Names below folders that are real: the unpacker or the platform has to hide what the image put there. */
const below =
  'dev/null dev/zero dev/console dev/ptmx dev/pts/0 dev/fd proc/self proc/keys .sandbox/init'.split(' ')

/** Runs on an image that puts links where a runtime mounts, or takes the source of a mask from (CVE-2025-31133). */
async function linkedBelow({ agent, canaries }: Testbed): Promise<Table> {
  const linked = await agent.image(
    below.map((name): [{ name: string; type: 'symlink'; linkname: string }] => [
      { name, type: 'symlink', linkname: `${canaries.folder}/canary` },
    ]),
  )
  return {
    class: 'images below',
    spec: { rootfs: { kind: 'image', digest: linked } },
    attempts: [
      ...below.map((name) => ({
        name: `link_${name.replaceAll(/\W/g, '_')}`,
        what: `finds the image's link at /${name}, or what it leads to`,
        command: `readlink /${name} | grep -q canary || timeout 1 head -c 99 /${name} | grep -q canary-`,
      })),
      ...['keys', 'timer_list', 'interrupts', 'partitions'].map((name) => ({
        name: `unmasked_${name}`,
        what: `finds /proc/${name} unmasked because the image has a /dev/null of its own`,
        command: `grep -q . /proc/${name}`,
      })),
      { name: 'null_is_null', what: 'finds that /dev/null is no device', command: '! [ -c /dev/null ]' },
    ],
  }
}

/** Runs as a user other than root, on an image with files that only root may have. */
async function ofRoot({ agent }: Testbed): Promise<Table> {
  const digest = await agent.image([
    [{ name: 'usr/bin/probe', mode: 0o755 }, await compiledProbe('probe')],
    [{ name: 'usr/bin/raised', mode: 0o6755 }, await compiledProbe('probe')],
    [{ name: 'usr/bin/raised-group', mode: 0o2755 }, await compiledProbe('probe')],
    [{ name: 'etc/shadow', mode: 0o600 }, 'root:secret'],
    [{ name: 'root', mode: 0o700, type: 'directory' }],
    [{ name: 'root/key', mode: 0o644 }, 'secret'],
  ])
  const to = (name: string, what: string, command: string) => ({ name, what, command })
  return {
    class: 'images of root',
    spec: { rootfs: { kind: 'image', digest }, user: { uid: 1000, gid: 1000 } },
    attempts: [
      to('read_file', `reads a file of its image's root (CVE-2025-2713)`, 'grep -q secret /etc/shadow'),
      to('read_below', `reads below a folder of its image's root`, 'cat /root/key'),
      to('write_file', `writes a file of its image's root`, 'echo x >>/etc/shadow'),
      to('replace_file', `replaces a file of its image's root`, 'mv /etc/shadow /tmp/x'),
      to('open_folder', `opens a folder of its image's root to itself`, 'chmod 777 /root'),
      to('own_file', `makes a file of root its own`, 'chown 1000 /etc/shadow'),
      to('set_user_id', `becomes root by the image's set-user-id program`, '/usr/bin/raised raised'),
      to('set_group_id', `joins root's group by the image's program`, '/usr/bin/raised-group raised'),
      to(
        'own_set_user_id',
        'makes a set-user-id program of its own root’s',
        'cp /usr/bin/probe /tmp/r && chown 0 /tmp/r && chmod 4755 /tmp/r && /tmp/r raised',
      ),
      to('become_root', 'becomes root', 'probe setuid 0'),
      to('root_group', `joins root's group`, 'probe setgroups 0'),
      to(
        'change_platform',
        `changes the platform's shell`,
        'echo x >>/.sandbox/busybox || rm /.sandbox/init',
      ),
    ],
  }
}

export const imagesOf = (testbed: Testbed): Promise<Table[]> =>
  Promise.all([linkedOut(testbed), linkedBelow(testbed), ofRoot(testbed)])
