import { afterAll, beforeAll, expect, it } from 'vitest'
import { tarOf } from '../../../testing/agent/test-agent.ts'
import { BuilderBench } from '../../../testing/builds/builder-bench.ts'
import { buildOnForeign } from '../../../testing/builds/foreign-base.ts'

/* Foreign base images with a link in the place of each folder that a sandbox mounts over. */

let bench: BuilderBench
beforeAll(async () => {
  bench = await BuilderBench.start()
})
afterAll(() => bench.dispose())

it.each(['dev', 'proc', 'sys', 'run', 'tmp', 'workspace'])(
  'an image on a base image whose /%s is a link is refused',
  async (folder) => {
    const { log, image } = await buildOnForeign(
      bench,
      'FROM scratch\nADD links.tar /',
      'FROM localhost/foreign\nLABEL a=b',
      await tarOf([[{ name: folder, type: 'symlink', linkname: '/etc' }]]),
    )
    expect(image, log).toBe('image_path_reserved')
  },
)
