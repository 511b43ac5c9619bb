import { afterAll, beforeAll, expect, test } from 'vitest'
import { busyboxEntry, LayerBench } from '../../../testing/builds/layer-bench.ts'

/*
 * An image is the same as a whole tree and as a layer above its base image, entry by entry, as a program sees it. Random images are
 * in `npm run hostile-builds`.
 */

let bench: LayerBench
beforeAll(async () => {
  bench = await LayerBench.start()
})
afterAll(() => bench.dispose())

/** Each change has a tree of its own, `/1` and so on. */
const changes = [
  'echo new >new',
  'echo changed >one/a',
  'rm one/a && rm -r one/deep && rm link two/linked',
  'rm -r one && mkdir one && echo x >one/x',
  'rm two/t && mkdir two/t && echo x >two/t/x && rm -r one && echo file >one',
  'rm link && mkdir link && echo x >link/x && rm -r one && ln -s link one',
  'chmod 4711 one/b && chown 7:8 one/b one link && chmod 700 two && chown -h 9:9 broken',
  'mv one moved && mv two/t moved/t',
  'ln one/a hard && ln hard two/hard && echo more >>two/linked',
  'ln link again && ln again two/again && ln broken hard && ln -s /none made && ln made two/made && rm made',
  `mkdir "a b" && echo x >"a b/it's" && echo y >./-T && echo z >'back\\\\slash'`,
  'mkdir many && for i in $(seq 100); do echo $i >many/$i; done && rm many/1*',
  'echo old >old && touch -d "1999-12-31 23:59:59" old one/b',
  'rm -r one two link broken set none',
]
const base = `FROM scratch
COPY busybox /bin/busybox
RUN ["/bin/busybox", "ln", "-s", "busybox", "/bin/sh"]
RUN for name in mkdir chmod chown rm ln mv cat seq touch; do /bin/busybox ln -s busybox /bin/$name; done
RUN mkdir -p /etc /tmp /var/empty && chmod 1777 /tmp && chmod 710 /var/empty
RUN for tree in $(seq ${changes.length + 1}); do mkdir /$tree && cd /$tree && mkdir -p one/deep/er two && echo a >one/a && \
  echo b >one/b && echo e >one/deep/er/e && echo t >two/t && ln two/t two/linked && ln -s one link && ln -s /none broken && \
  echo s >set && chmod 6755 set && chown 12:34 set && echo n >none && chmod 0 none; done
`
const dockerfiles = {
  'with every change': [
    'FROM localhost/small',
    ...changes.map((change, at) => `RUN cd /${at + 1} && ${change}`),
    `COPY file /${changes.length + 1}/link/through`,
  ],
  'that makes a removed folder anew in later stages': [
    'FROM localhost/small AS first',
    'RUN rm -r /1/one /2/one',
    'FROM first AS second',
    'RUN mkdir -p /1/one/deep && echo y >/1/one/deep/y && echo file >/2/one',
    'FROM second',
    'RUN echo z >/1/one/z && rm /1/one/deep/y && rm /2/one && mkdir /2/one',
  ],
  'that changes nothing': ['FROM localhost/small', 'LABEL a=b'],
}
const elsewhere = [
  'FROM localhost/small AS tools',
  'FROM scratch',
  'COPY --from=tools /bin/busybox /bin/busybox',
]

test('every image is the same in both forms, and one that is not built on the base image has no layer', async () => {
  const context = [
    [{ name: 'Base' }, base],
    [{ name: 'file', mode: 0o640 }, 'content\n'],
    await busyboxEntry(),
  ] as Parameters<LayerBench['compare']>[1]
  const lines = [...Object.values(dockerfiles), elsewhere]
  const compared = await bench.compare(
    lines.map((each) => each.join('\n')),
    context,
  )
  for (const [at, name] of Object.keys(dockerfiles).entries()) {
    const { flat, layered, refused } = compared[at] ?? {}
    expect(refused, name).toBeUndefined()
    expect(flat?.length, name).toBeGreaterThan(100)
    expect(layered, name).toEqual(flat)
  }
  expect(compared.at(-1)).toMatchObject({ layered: undefined })
})
