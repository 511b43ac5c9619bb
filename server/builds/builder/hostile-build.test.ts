import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SandboxSpec } from '../../../agent/port/sandbox-spec.ts'
import { inputOf } from '../../../agent/port/start-input.ts'
import { checkFlatImage } from '../../../reader/images/flat-image.ts'
import { TestAgent, tarOf } from '../../../testing/agent/test-agent.ts'
import { linkBuilder } from '../../../testing/agent/test-builder.ts'
import { withUnconfinedSteps } from '../../../testing/builds/unconfined-steps.ts'
import { newId } from '../../base/ids.ts'
import { buildSandbox } from './build-sandbox.ts'

/*
 * Dockerfiles that the gate would refuse, straight in the build sandbox: what holds here
 * holds without the gate.
 */
const base = 'curated/python:3.11'
/** For steps that need no more than a shell: the whole image is exported. */
const tiny = 'curated/tiny:2'
let agent: TestAgent
let hostFolder: string

beforeAll(async () => {
  agent = await TestAgent.start()
  await linkBuilder(agent)
  hostFolder = await mkdtemp(join(tmpdir(), 'canary-'))
  await writeFile(join(hostFolder, 'canary'), 'host secret')
})
afterAll(async () => {
  await agent.dispose()
  await rm(hostFolder, { recursive: true })
})

type Entries = Parameters<typeof tarOf>[0]

interface Weaker {
  from?: string
  limits?: { workspaceBytes?: number; workspaceInodes?: number }
  weakened?: (spec: SandboxSpec) => SandboxSpec
}

async function build(
  lines: string[],
  entries: Entries = [],
  { from = base, limits, weakened = (spec) => spec }: Weaker = {},
) {
  const plain = buildSandbox({ id: newId('run'), profile: 'standard', bases: [from], network: 'none' })
  const spec = weakened({ ...plain, limits: { ...plain.limits, timeoutMs: 20_000, ...limits } })
  const context = await tarOf([
    [{ name: 'context', type: 'directory' }],
    [{ name: 'context/Dockerfile' }, [`FROM ${from}`, ...lines].join('\n')],
    ...entries,
    [{ name: 'complete', type: 'directory' }],
  ])
  await agent.client.start(spec, inputOf(context))
  const exit = await agent.client.wait(spec.id)
  const log = await text(await agent.client.log(spec.id))
  expect(log).not.toContain('host secret')
  return { id: spec.id, exit, log }
}

test('links of the context, bind mounts, cache mounts and flags reach no file of the host', async () => {
  const up = `../../../../../../..${hostFolder}`
  const steps = [
    'COPY link/ /copied/\nRUN cat /copied/canary',
    'ADD link/canary /copied',
    `COPY ${up}/canary /copied`,
    'RUN --mount=type=bind,source=link,target=/bound cat /bound/canary',
    `RUN --mount=type=bind,source=${up},target=/bound cat /bound/canary`,
    `RUN --mount=type=bind,from=${base},source=${up},target=/bound cat /bound/canary`,
    `RUN --mount=type=cache,id=${up},target=/cache cat /cache/canary`,
    `RUN --mount=type=cache,from=${base},source=${up},target=/cache cat /cache/canary`,
    `RUN --security=insecure cat ${hostFolder}/canary`,
    `RUN cat ${hostFolder}/canary`,
  ]
  for (const step of steps) {
    const { exit, log } = await build(
      [step],
      [[{ name: 'context/link', type: 'symlink', linkname: hostFolder }]],
    )
    expect([exit.cause, exit.exitCode], `${step}\n${log}`).toEqual(['exited', 1])
  }
})

const leaveRoot = `import os,sys
fd=os.open('/',os.O_RDONLY)
os.makedirs('/jail',exist_ok=True); os.chroot('/jail'); os.fchdir(fd)
for _ in range(64): os.chdir('..')
os.chroot('.')
`

test('a step that leaves its root finds the builder’s root, and cannot write what other builds use', async () => {
  const program = `${leaveRoot}
for path in ('/base-images/x','/proc/sys/kernel/core_pattern','/proc/sysrq-trigger','/proc/1/mem','/proc/1/fd/3','${hostFolder}/x'):
    try: open(path,'w'); print('GOT',path)
    except OSError as e: print('refused',path,e.errno)
print('at', sorted(os.listdir('/')))
print(os.path.exists('${hostFolder}'))
`
  const { log } = await build(
    ['COPY e.py /e.py', 'RUN python3 /e.py'],
    [[{ name: 'context/e.py' }, program]],
    { weakened: withUnconfinedSteps },
  )
  expect(log).toContain('at [')
  expect(log).not.toContain('GOT')
  const after = await build(['RUN true'], [], { from: tiny })
  expect(after.exit.exitCode).toBe(0)
})

test('a step that replaces the builder’s programs gets no further, and forged output is checked outside', async () => {
  const program = `${leaveRoot}
evil='''#!/bin/sh
m='/.sandbox/busybox mount'
$m -o remount,rw,bind /base-images && touch /base-images/x && echo GOT remount
$m -o rw,bind /base-images /mnt && $m -o remount,rw,bind /mnt && touch /mnt/x && echo GOT bind
mkdir -p /tmp/c && $m -t cgroup -o memory none /tmp/c && echo mounted
for file in memory.limit_in_bytes cgroup.procs tasks release_agent; do echo 0 > /tmp/c/$file && echo GOT $file; done
$m -o remount,dev,suid / && echo GOT flags
mknod /tmp/disk b 254 0 && echo GOT device
unshare -U true && echo GOT userns
/.sandbox/busybox umount /proc/sys; echo x > /proc/sys/kernel/core_pattern && echo GOT core_pattern
rm -f /workspace/image.tar
mkfifo /workspace/image.tar
rm -f /workspace/config.json
ln -s /etc/shadow /workspace/config.json
'''
for path in ('/usr/bin/tar','/bin/tar'):
    if os.path.exists(path):
        os.unlink(path); open(path,'w').write(evil); os.chmod(path,0o755)
print('planted', os.path.exists('/usr/bin/buildah'))
`
  const { exit, log } = await build(
    ['COPY e.py /e.py', 'RUN python3 /e.py'],
    [[{ name: 'context/e.py' }, program]],
    { weakened: withUnconfinedSteps },
  )
  expect(log).toContain('planted True')
  expect(log).toContain('mounted')
  expect(log).not.toContain('GOT')
  expect(exit.files.image?.status).toBe('not_regular')
  expect(exit.files.config?.status).toBe('not_regular')
})

test('a step that fills the disk, or leaves a process running, affects only its own build', async () => {
  const { exit, log } = await build(
    ['RUN (setsid sleep 1000 &) ; dd if=/dev/zero of=/full bs=1M || true', 'RUN true'],
    [],
    { from: tiny, limits: { workspaceBytes: 256 * 1024 * 1024, workspaceInodes: 50_000 } },
  )
  expect(exit).toMatchObject({ cause: 'exited', exitCode: 1 })
  expect(log).toContain('No space left on device')
})

test('a step’s own whiteout names fail its build, and the builder’s whiteouts do not', async () => {
  const forged = await build(['RUN mkdir /w && touch /w/.wh.bin'], [], { from: tiny })
  expect(forged.exit).toMatchObject({ exitCode: 92, files: { image: { status: 'absent' } } })
  expect(forged.log).toContain('an image cannot have the name w/.wh.bin')
  const removed = await build(
    ['RUN rm /etc/issue && rm -r /etc/skel && mkdir -m 700 /etc/skel && touch /etc/skel/new'],
    [],
    { from: tiny },
  )
  expect(removed.exit, removed.log).toMatchObject({ exitCode: 0 })
})

test('devices and links in a step’s result are gone, refused, or harmless', async () => {
  const { id, exit, log } = await build(
    [
      'RUN mkdir /w; ln -s /etc/shadow /w/shadow; ln /etc/issue /w/hard; mknod /w/null c 1 3; mknod /w/pipe p; true',
    ],
    [],
    { from: tiny },
  )
  if (exit.files.image?.status !== 'present') throw new Error(log)
  await expect(checkFlatImage(await agent.client.file(id, 'image'))).rejects.toThrow()
})
