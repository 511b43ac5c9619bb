import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** Packs the script of the page at `/docs`. */
export async function packDocsPage(root: string, file: string): Promise<void> {
  const packing = await rolldown({
    cwd: root,
    input: join(root, 'server/http/reference/browser/main.ts'),
    platform: 'browser',
    tsconfig: false,
  })
  await packing.write({ file, format: 'esm', codeSplitting: false })
}
