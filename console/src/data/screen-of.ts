/** Screens of this console that notifications, decisions and found things name. */
const screens = [
  /^\/runs$/,
  /^\/inbox\/proposals\/[\w.-]+$/,
  /^\/chatrooms\/[\w.-]+(\/manage\/(jobs|secrets)|\/runs\/[\w.-]+)?$/,
  /^\/tasks\/[\w.-]+$/,
  /^\/tables\/[\w.-]+\/rows$/,
  /^\/company\/people\/[\w.-]+$/,
  /^\/environments\/[\w.-]+(\/findings|\/versions\/[\w.-]+(\/builds\/[\w.-]+)?)?$/,
]

/** The path of a screen below `/console`; undefined for an address that is none of this console. */
export function screenOf(deepLink: string): string | undefined {
  const [, path = ''] = /^\/console(\/.*)$/.exec(deepLink) ?? []
  return screens.some((screen) => screen.test(path)) ? path : undefined
}
