import type { InventoryMaker } from '../inventory-maker.ts'
import { controlParagraphs } from './control-fields.ts'

export const isApkDatabase = (path: string): boolean => path === 'lib/apk/db/installed'

/** Paragraphs of one-letter fields: P name, V version, A architecture, o the source package. */
export function readApkDatabase(content: Buffer, path: string, maker: InventoryMaker): void {
  for (const fields of controlParagraphs(content)) {
    const name = fields.get('P') ?? ''
    const version = fields.get('V') ?? ''
    const architecture = fields.get('A') ?? ''
    maker.addPackage(
      {
        kind: 'apk',
        name,
        version,
        ...(/^[a-z0-9_]{1,32}$/.test(architecture) && { architecture }),
        source: { name: fields.get('o') ?? name, version },
      },
      path,
    )
  }
}
