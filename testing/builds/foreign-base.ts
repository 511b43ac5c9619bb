import { buildFromBases } from '../../server/builds/builder/build-script.ts'
import type { BenchRun, BuilderBench } from './builder-bench.ts'

/** Builds `dockerfile` with a base image `localhost/foreign` that `foreign` makes. */
export const buildOnForeign = (
  bench: BuilderBench,
  foreign: string,
  dockerfile: string,
  links: Buffer = Buffer.alloc(1024),
): Promise<BenchRun> =>
  bench.script(
    `cat >Foreign <<'END'\n${foreign}\nEND
buildah bud --format docker -t foreign -f Foreign context >/dev/null 2>&1
set -- localhost/foreign
${buildFromBases}`,
    [
      [{ name: 'context/Dockerfile' }, dockerfile],
      [{ name: 'context/a' }, 'a'],
      [{ name: 'context/links.tar' }, links],
    ],
  )
