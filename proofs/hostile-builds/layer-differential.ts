import { SeededRandom } from '../../server/base/seeded-random.ts'
import { busyboxEntry, type Compared, LayerBench } from '../../testing/builds/layer-bench.ts'
import type { BuilderReport } from './builder-alone.ts'

/*
 * Dockerfiles that change a small base image at random, each built once and compared as a whole tree and as a layer above the base
 * image: what a program sees has to be the same, entry by entry.
 */

const base = `FROM scratch
COPY busybox /bin/busybox
RUN ["/bin/busybox", "ln", "-s", "busybox", "/bin/sh"]
RUN for name in mkdir chmod chown rm ln mv cat touch cp; do /bin/busybox ln -s busybox /bin/$name; done
RUN mkdir -p /etc && for a in a b c d; do mkdir -p /t/$a/x/y; echo $a >/t/$a/f; echo x >/t/$a/x/f; echo y >/t/$a/x/y/g; done
RUN ln -s a /t/l && ln -s /t/b/x /t/c/l && ln /t/a/f /t/b/h && chmod 4755 /t/c/f && chown 3:4 /t/d && chmod 1777 /t/d
`
const folders = [
  '/t',
  '/t/a',
  '/t/b',
  '/t/c',
  '/t/d',
  '/t/a/x',
  '/t/b/x',
  '/t/c/x/y',
  '/t/l',
  '/t/n',
  '/t/n/x',
]
const names = ['f', 'g', 'h', 'x', 'y', 'l', 'n', 'a', 'b', '.hidden', "it's", 'a b', '-T', 'x.wh.y']
const perSandbox = 25

/** Compares `count` images. */
export async function comparedLayers(count: number, seed: number): Promise<BuilderReport> {
  const draw = new SeededRandom(seed)
  const path = () => quoted(`${draw.of(folders)}/${draw.of(names)}`)
  const changes = [
    () => `echo ${draw.below(1000)} >${path()}`,
    () => `rm -rf ${path()}`,
    () => `rm -rf ${quoted(draw.of(folders.slice(1)))}`,
    () => `mkdir -p ${path()}`,
    () => `d=${path()}; rm -rf "$d"; mkdir "$d" && echo new >"$d/g"`,
    () => `mv ${path()} ${path()}`,
    () => `cp -r ${path()} ${path()}`,
    () => `ln ${path()} ${path()}`,
    () => `ln -s ${draw.of(['a', '../b', '/t/c', 'none', '/etc'])} ${path()}`,
    () => `chmod ${draw.of(['0', '600', '755', '1777', '4711', '2755'])} ${path()}`,
    () => `chown -h ${draw.of(['1:2', '0:0', '65534:65534'])} ${path()}`,
    () => `touch -d "2001-02-03 04:05:06" ${path()}`,
    () => `d=${path()}; rm -rf "$d"; echo file >"$d"`,
  ]
  // A change that does not apply to the tree is no failure of the build.
  const step = () =>
    `RUN ${Array.from({ length: 1 + draw.below(5) }, () => `(${draw.of(changes)()}) || true`).join('; ')}`
  const dockerfile = () => {
    const stages = 1 + draw.below(3)
    const lines = Array.from({ length: stages }, (_, at) => [
      `FROM ${at === 0 ? 'localhost/small' : `s${at - 1}`} AS s${at}`,
      ...Array.from({ length: 1 + draw.below(3) }, step),
    ])
    return lines.flat().join('\n')
  }
  const bench = await LayerBench.start()
  const failures: string[] = []
  try {
    const context = [[{ name: 'Base' }, base], await busyboxEntry()] as Parameters<LayerBench['compare']>[1]
    for (let done = 0; done < count; done += perSandbox) {
      const dockerfiles = Array.from({ length: Math.min(perSandbox, count - done) }, dockerfile)
      const compared = await bench.compare(dockerfiles, context)
      for (const [at, image] of compared.entries()) {
        const failure = failureOf(image)
        if (failure !== undefined) {
          failures.push(`image ${done + at} of seed ${seed}: ${failure}\n${dockerfiles[at]}`)
        }
      }
    }
  } finally {
    await bench.dispose()
  }
  return { cases: count, failures }
}

const quoted = (path: string) => `"${path}"`

function failureOf({ flat, layered, refused }: Compared): string | undefined {
  if (refused !== undefined) return `refused: ${refused}`
  return layered ? differenceOf(flat, layered) : 'no layer'
}

function differenceOf(flat: readonly string[], layered: readonly string[]): string | undefined {
  const missing = flat.filter((line) => !layered.includes(line))
  const surplus = layered.filter((line) => !flat.includes(line))
  const lines = [...missing.map((line) => `- ${line}`), ...surplus.map((line) => `+ ${line}`)]
  return lines.length === 0 && flat.length === layered.length ? undefined : lines.slice(0, 10).join('\n')
}
