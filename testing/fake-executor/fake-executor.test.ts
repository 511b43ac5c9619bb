import { beforeAll } from 'vitest'
import { sha256Of } from '../../server/base/sha256.ts'
import { executorConformance } from '../executor-conformance/executor-conformance.ts'
import { layerOf } from '../image-layer.ts'
import { conformanceProgram, conformanceWords } from './conformance-programs.ts'
import { FakeExecutor } from './fake-executor.ts'

const image = Buffer.from('an image')
const executor = new FakeExecutor(conformanceProgram)
beforeAll(() => executor.installImage(sha256Of(image), layerOf(image)))

executorConformance('the fake', () => ({
  executor,
  runtime: 'crun',
  digest: sha256Of(image),
  programs: conformanceWords,
}))
