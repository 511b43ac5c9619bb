import { createHash } from 'node:crypto'
import { beforeAll } from 'vitest'
import { executorConformance } from '../executor-conformance/executor-conformance.ts'
import { layerOf } from '../image-layer.ts'
import { FakeExecutor } from './fake-executor.ts'

const image = Buffer.from('an image')
const digest = `sha256:${createHash('sha256').update(image).digest('hex')}`

const executor = new FakeExecutor(({ argv }, input) =>
  argv[0] === 'echo'
    ? { exit: { exitCode: 3 }, log: input.toString(), files: { output: input } }
    : new Promise(() => undefined),
)
beforeAll(() => executor.installImage(digest, layerOf(image)))

executorConformance('the fake', () => ({
  executor,
  runtime: 'crun',
  digest,
  echo: ['echo'],
  endless: ['endless'],
}))
