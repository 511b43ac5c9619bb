import type { InventoryMaker } from '../inventory-maker.ts'
import { lines } from './control-fields.ts'

const specificationFile = /(?:^|\/)specifications\/(?:default\/)?[^/]+\.gemspec$/
const nameLine = /^\s{0,8}s\.name = "([^"]{1,256})"/
const versionLine = /^\s{0,8}s\.version = "([^"]{1,256})"/

export const isGemSpecification = (path: string): boolean => specificationFile.test(path)

/** RubyGems writes these files, one attribute per line. They are Ruby programs and are only parsed, never run. */
export function readGemSpecification(content: Buffer, path: string, maker: InventoryMaker): void {
  let name = ''
  let version = ''
  for (const line of lines(content)) {
    name ||= nameLine.exec(line)?.[1] ?? ''
    version ||= versionLine.exec(line)?.[1] ?? ''
  }
  maker.addPackage({ kind: 'gem', name, version }, path)
}
