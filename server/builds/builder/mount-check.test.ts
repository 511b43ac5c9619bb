import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkDockerfile } from '../../../reader/dockerfile/dockerfile.ts'
import { withMountChecks } from '../../../reader/dockerfile/mount-checks.ts'
import { dockerfileText } from '../../../reader/dockerfile/remaining-build.ts'
import { BuilderBench } from '../../../testing/builds/builder-bench.ts'
import { buildCommand } from './build-script.ts'

/* Targets of mounts on whose way the image has a link, which the builder would follow in its own root. */

let bench: BuilderBench
beforeAll(async () => {
  bench = await BuilderBench.start()
})
afterAll(() => bench.dispose())

const base = 'curated/tiny:2'
const parse = (lines: string[]) => checkDockerfile(Buffer.from([`FROM ${base}`, ...lines].join('\n')))

const context = (text: string): Parameters<BuilderBench['build']>[0] => [
  [{ name: 'Dockerfile' }, text],
  [{ name: 'context/a/b' }, 'b\n'],
  [{ name: 'context/d/e' }, 'e\n'],
]

const build = (...lines: string[]) =>
  bench.build(context(dockerfileText(withMountChecks(parse(lines)))), [base])

/** The build without the check, then with it, and what each has made in the builder's own folder /victim. */
async function reached(lines: string[]) {
  const unchecked = parse(lines)
  const script = ['unchecked', 'Dockerfile'].map(
    (file) => `rm -rf /victim; mkdir -p /victim/d; printf '/lnk;' >check/workdir.0
${buildCommand} -f ${file} context 2>&1 || true
echo "made: $(cd /victim && find . -mindepth 1 | sort | xargs)"`,
  )
  const files = context(dockerfileText(withMountChecks(unchecked)))
  const { log } = await bench.script(script.join('\n'), [
    [{ name: 'unchecked' }, dockerfileText(unchecked)],
    ...files,
  ])
  return { log, made: [...log.matchAll(/^made: (.*)$/gm)].map(([, text]) => text) }
}

const mount = (value: string) => `RUN --mount=${value} true`
const linked =
  'RUN mkdir -p /real /lib/closed && ln -s /victim /lnk && ln -s ../../../../../../../victim /real/up && chmod 700 /lib/closed'
const cached = 'RUN --mount=type=cache,target=/c ln -sfn /victim /c/l'

const holes: [what: string, lines: string[], said: string][] = [
  ['below a link', [linked, mount('type=tmpfs,target=/lnk/made/x')], '/lnk is a symbolic link'],
  ['below a relative link', [linked, mount('type=cache,target=/real/up/x')], '/real/up is a symbolic link'],
  [
    'of a file below a link',
    [linked, mount('type=bind,source=a/b,target=/lnk/file')],
    '/lnk is a symbolic link',
  ],
  [
    'below a linked WORKDIR',
    [linked, 'WORKDIR /lnk/d', mount('type=tmpfs,target=made')],
    '/lnk is a symbolic link',
  ],
  [
    'below a link in a cache',
    [cached, 'RUN --mount=type=tmpfs,target=/c/l/x --mount=type=cache,target=/c true'],
    'it lies in the mount at /c',
  ],
]

test.each(holes)(
  'a target %s is refused at its line, and would be made in the builder’s root',
  async (_what, lines, said) => {
    const { log, made } = await reached(lines)
    expect(log).toContain(`Dockerfile:${lines.length + 1}: the target `)
    expect(log).toContain(said)
    // Without the check the folder is reached: the test would show nothing otherwise.
    expect(made).toEqual([expect.stringMatching(/^\.\/(?!d$)/), './d'])
  },
)

test('a target in a folder that the user may not see, or in the place of a link or below a file, is refused', async () => {
  const closed = await build(linked, 'USER 7', mount('type=tmpfs,target=/lib/closed/x'))
  expect(closed.log).toContain('the user of the step may not look into /lib/closed')
  const replaced = await build(linked, mount('type=tmpfs,target=/lnk'))
  expect(replaced.log).toContain('/lnk is a symbolic link in the image. Write the path that it leads to.')
  const file = await build(linked, 'RUN touch /real/f', mount('type=tmpfs,target=/real/f/x'))
  expect(file.log).toContain('/real/f is a file in the image')
  for (const { exit } of [closed, replaced, file]) expect(exit.exitCode).toBe(1)
})

test('other targets are made, as any user and below the directory of the base image', async () => {
  const { exit, log, image } = await build(
    linked,
    'RUN --mount=source=a/b,target=in.txt --mount=target=/x/y --mount=type=cache,target=/x/y/d,uid=7 cat in.txt /x/y/a/b',
    'WORKDIR /work',
    'USER 7',
    'RUN --mount=type=tmpfs,target=d --mount=target=. cat a/b && ls -A / /work',
  )
  expect([exit.exitCode, image], log).toEqual([0, 'accepted'])
  expect(log.match(/^b$/gm)).toHaveLength(3)
  expect(log).not.toContain('.sandbox-')
})
