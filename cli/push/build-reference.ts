/** The ids in the address of a build: environment, version, attempt. */
export interface BuildReference {
  id: string
  vid: string
  aid: string
}
