// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Dockerfile variables look like this
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BuilderBench } from '../../../testing/builds/builder-bench.ts'
import { copyBase, refusedPlace } from '../../../testing/builds/copied-files.ts'

/* Each way in which a Dockerfile can bring a folder onto a link or a file of the image. */

let bench: BuilderBench
beforeAll(async () => {
  bench = await BuilderBench.start()
})
afterAll(() => bench.dispose())

const replacing: [what: string, lines: string[], place: string][] = [
  ['ADD of a tree', ['ADD rootfs /'], '/bin is a link to usr/bin'],
  [
    'a name from variables',
    ['ARG WHAT=rootfs TO', 'ENV TO=/', 'COPY ${WHAT} ${TO}'],
    '/bin is a link to usr/bin',
  ],
  ['a pattern', ['COPY root* /'], '/bin is a link to usr/bin'],
  ['the JSON form', ['COPY ["rootfs", "/"]'], '/bin is a link to usr/bin'],
  ['an archive', ['ADD folder.tar.gz /'], '/bin is a link to usr/bin'],
  ['a relative destination', ['WORKDIR /', 'COPY rootfs .'], './bin is a link to usr/bin'],
  [
    'a link that a step made',
    ['RUN mkdir -p /x/a /y && ln -s /y /x/a/b', 'COPY deep /x/'],
    '/x/a/b is a link to /y',
  ],
  ['a folder onto a file', ['RUN mkdir /x && touch /x/a', 'COPY deep /x'], '/x/a is a file'],
  [
    'another stage',
    ['RUN mkdir -p /out/bin && touch /out/bin/tool', `FROM ${copyBase}`, 'COPY --from=0 /out /'],
    '/bin is a link to usr/bin',
  ],
]

test.each(replacing)('%s that would replace a link is refused at its line', async (_what, lines, place) => {
  expect(await refusedPlace(bench, lines)).toBe(place)
})
