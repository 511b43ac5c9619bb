import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { busybox, shellJob, TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import { noInput } from '../../testing/no-input.ts'
import { sandboxRuntimes } from '../port/sandbox-spec.ts'

let agent: TestAgent
let empty: string
let hostFolder: string

beforeAll(async () => {
  agent = await TestAgent.start()
  empty = await agent.image()
  hostFolder = await mkdtemp(join(tmpdir(), 'canary-'))
  await writeFile(join(hostFolder, 'canary'), 'host secret')
})
afterAll(async () => {
  await agent.dispose()
  await rm(hostFolder, { recursive: true })
})

const run = async (script: string) => (await agent.run(shellJob(empty, script))).log

test('a job has no capability, cannot gain privileges, and has a system call filter', async () => {
  const log = await run('grep -E "Cap|NoNewPrivs|Seccomp:" /proc/self/status')
  expect(log.replaceAll('\t', ' ').trim().split('\n')).toEqual([
    'CapInh: 0000000000000000',
    'CapPrm: 0000000000000000',
    'CapEff: 0000000000000000',
    'CapBnd: 0000000000000000',
    'CapAmb: 0000000000000000',
    'NoNewPrivs: 1',
    'Seccomp: 2',
  ])
})

test('a job sees only its own loopback', async () => {
  expect(await run('ls /proc/sys/net/ipv4/conf; cat /proc/net/route | wc -l')).toBe('all\ndefault\nlo\n1\n')
})

test('a job sees only its own processes', async () => {
  expect(await run('ls -d /proc/[0-9]* | wc -l; hostname')).toMatch(/^[0-9]\njob\n$/)
})

test('a job cannot make namespaces, mounts, devices or keys', async () => {
  const attempts = [
    'unshare -U true',
    'unshare -m true',
    'mount -t tmpfs none /tmp',
    'mknod /workspace/sda b 8 0',
    'mknod /workspace/null c 1 3',
    'chroot / true',
    'nsenter -t 1 -m true',
    'cat /proc/kcore | grep -q .',
    'sh -c "echo 1 > /proc/sys/vm/drop_caches"',
    'sh -c "echo b > /proc/sysrq-trigger"',
  ]
  for (const attempt of attempts) {
    expect(
      await run(`{ ${attempt}; } >/dev/null 2>&1; [ $? = 0 ] && echo got || echo refused`),
      attempt,
    ).toBe('refused\n')
  }
})

test('a job can neither trace nor reach into its first process', async () => {
  expect(await run('ls /proc/1/fd/ 2>&1; cat /proc/1/environ 2>&1; echo x > /proc/1/fd/3')).not.toContain(
    'pipe',
  )
  expect(await run('kill -9 1; sleep 0.1; echo alive')).toBe('alive\n')
})

test.each(sandboxRuntimes)(
  'in the group of a sandbox on %s, not even root opens or makes a device but the usual ones',
  async (runtime) => {
    const spec = shellJob(empty, 'sleep 100', { runtime })
    await agent.client.start(spec, noInput)
    const [group = ''] = [`devices/${agent.cgroup}`, agent.cgroup]
      .map((parent) => join('/sys/fs/cgroup', parent, spec.id, 'cgroup.procs'))
      .filter(existsSync)
    const script = `echo $$ >${group}
      for device in null zero random loop-control kmsg; do (: </dev/$device) 2>/dev/null && echo $device; done
      mknod ${hostFolder}/null c 1 3 2>/dev/null && echo made`
    expect((await agent.onHost('sh', '-c', `${script}; true`)).trim().split('\n')).toEqual([
      'null',
      'zero',
      'random',
    ])
    await agent.client.stop(spec.id)
  },
)

test('a job finds no file of the host', async () => {
  const log = await run(
    `cat ${hostFolder}/canary; find / -xdev -name canary; ls /run /root /home 2>&1; cat /proc/1/root${hostFolder}/canary`,
  )
  expect(log).not.toContain('host secret')
})

test('an image’s symlinks at the platform’s mount points have no effect', async () => {
  const link = (name: string): [{ name: string; type: 'symlink'; linkname: string }] => [
    { name, type: 'symlink', linkname: hostFolder },
  ]
  const digest = await agent.image(
    ['dev', 'proc', 'tmp', 'sys', 'workspace', '.sandbox', 'base-images'].map(link),
  )
  const { exit, log } = await agent.run(
    shellJob(
      digest,
      'cat canary; cat /tmp/canary /dev/canary /proc/canary; touch /tmp/x x; echo 1 > output.json; ls',
    ),
  )
  expect(exit).toMatchObject({ cause: 'exited', exitCode: 0 })
  expect(log).not.toContain('host secret')
  expect(exit.files.output?.status).toBe('present')
})

test('tar entries outside the image are not written, or the image is refused', async () => {
  const through = agent.image([
    [{ name: 'out', type: 'symlink', linkname: hostFolder }],
    [{ name: 'out/written' }, 'x'],
  ])
  await expect(through).rejects.toMatchObject({ slug: 'image_invalid' })
  await expect(agent.image([[{ name: '../../escaped' }, 'x']])).rejects.toMatchObject({
    slug: 'image_invalid',
  })
  await expect(
    agent.image([[{ name: 'shadow', type: 'link', linkname: '../../../etc/shadow' }]]),
  ).rejects.toMatchObject({ slug: 'image_invalid' })
})

test('two live sandboxes share no id', async () => {
  const [first, second] = [shellJob(empty, 'sleep 100'), shellJob(empty, 'sleep 100')]
  await Promise.all([first, second].map((spec) => agent.client.start(spec, noInput)))
  const owners = await Promise.all(
    [first, second].map(async ({ id }) => {
      const [pid] = (await agent.processes(id)).slice(-1)
      return (await readFile(`/proc/${pid}/uid_map`, 'utf8')).trim().split(/\s+/)
    }),
  )
  expect(owners[0]?.[0]).toBe('0')
  expect(Math.abs(Number(owners[0]?.[1]) - Number(owners[1]?.[1]))).toBeGreaterThanOrEqual(65_536)
  await Promise.all([first, second].map((spec) => agent.client.stop(spec.id)))
})

test('a job cannot change its image for the next one', async () => {
  const digest = await agent.image([[{ name: 'file' }, 'original']])
  await agent.run(shellJob(digest, 'echo changed > /file'))
  expect((await agent.run(shellJob(digest, 'cat /file'))).log).toBe('original')
  expect(await run(`echo bad > ${busybox}; true`)).not.toContain('Bad')
  expect(await run('echo well')).toBe('well\n')
})

test('hostile artifacts lose the bundle, never the result', async () => {
  const deep = `${'d'.repeat(200)}/${'e'.repeat(200)}`
  const cases: [string, string, string?][] = [
    ['ln -s /etc/passwd artifacts/l', 'symlink', 'l'],
    ['mkdir -p artifacts/a/b; ln -s c artifacts/a/b/l; echo > artifacts/z', 'symlink', 'a/b/l'],
    ['echo 1 > artifacts/a; ln artifacts/a artifacts/b', 'hard_link', 'a'],
    ['mkfifo artifacts/f', 'special_file', 'f'],
    ['for i in 1 2 3 4 5 6; do echo > artifacts/$i; done', 'too_many_files', '6'],
    ['echo > artifacts/a; dd if=/dev/zero of=artifacts/big bs=1M count=2', 'too_large', 'big'],
    ['dd if=/dev/zero of=artifacts/sparse bs=1 count=1 seek=99999999999', 'too_large', 'sparse'],
    ['touch "artifacts/$(printf "a\\nb")"', 'control_character', 'a\nb'],
    ['rmdir artifacts; ln -s / artifacts', 'not_a_folder'],
    ['mkdir artifacts/closed; chmod 0 artifacts/closed', 'unreadable', 'closed'],
    [`mkdir -p artifacts/${deep}; mkfifo artifacts/${deep}/f`, 'special_file', `${deep}/f`.slice(-255)],
    [`mkfifo 'artifacts/","x":"é'`, 'special_file', Buffer.from('","x":"é').toString('latin1')],
  ]
  for (const [script, reason, path] of cases) {
    const spec = shellJob(empty, `mkdir artifacts; echo 1 > output.json; ${script} 2>/dev/null; exit 0`)
    const { exit } = await agent.run(spec)
    expect(exit.tree, script).toEqual({ status: 'rejected', reason, path, files: [] })
    expect(exit.files.output, script).toEqual({ status: 'present', byteSize: 2 })
  }
})

test('results are looked for with the rights of the program, also where root would see more', async () => {
  for (const script of ['mkdir artifacts; echo 1 > output.json; chmod 0 .', 'chmod 0 .']) {
    const { exit } = await agent.run(shellJob(empty, script))
    expect(exit.tree, script).toMatchObject({ status: 'rejected', reason: 'unreadable' })
    expect(exit.files.output?.status, script).toBe('not_regular')
  }
})

test('an output that is not a small regular file is not copied', async () => {
  const cases: [string, string][] = [
    ['mkfifo output.json', 'not_regular'],
    ['ln -s /etc/passwd output.json', 'not_regular'],
    ['echo x > y; ln y output.json', 'not_regular'],
    ['mkdir output.json', 'not_regular'],
    ['dd if=/dev/zero of=output.json bs=1 count=1001', 'too_large'],
    ['true', 'absent'],
  ]
  for (const [script, status] of cases) {
    const spec = shellJob(empty, `${script} 2>/dev/null`)
    const { exit } = await agent.run(spec)
    expect(exit.files.output?.status, script).toBe(status)
    await expect(agent.client.file(spec.id, 'output').then(text), script).rejects.toThrow()
  }
})

test('a sandbox leaves no mount and no loop device on the host', async () => {
  await agent.run(shellJob(empty, 'true', { workspaceKind: 'disk', workspaceBytes: 16 * 1024 * 1024 }))
  expect(await readFile('/proc/self/mountinfo', 'utf8')).not.toMatch(/\/run\/sandbox-jobs[ /]/)
  await waitUntil(async () => {
    const backing = await Promise.all(
      (await readdir('/sys/block'))
        .filter((name) => name.startsWith('loop'))
        .map((name) => readFile(`/sys/block/${name}/loop/backing_file`, 'utf8').catch(() => '')),
    )
    return backing.every((path) => !path.includes(agent.dataDir))
  })
})
