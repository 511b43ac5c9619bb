import type { InventoryMaker } from '../inventory-maker.ts'
import { controlParagraphs } from './control-fields.ts'

const metadataFile = /(?:^|\/)[^/]+\.(?:dist-info\/METADATA|egg-info\/PKG-INFO|egg-info)$/

export const isPythonMetadata = (path: string): boolean => metadataFile.test(path)

/** Reads the fields before the description (core metadata, PEP 566). */
export function readPythonMetadata(content: Buffer, path: string, maker: InventoryMaker): void {
  const [fields] = controlParagraphs(content)
  maker.addPackage(
    { kind: 'pypi', name: fields?.get('Name') ?? '', version: fields?.get('Version') ?? '' },
    path,
  )
}
