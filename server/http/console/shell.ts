import type { IncomingHttpHeaders } from 'node:http'
import {
  type ConsoleLanguage,
  type ConsoleTheme,
  consoleLanguages,
  consoleThemes,
  languageCookie,
  themeCookie,
} from '@sandbox-jobs/contract/console-look.ts'
import { html } from '../reference/html.ts'

/* The page of the console: the same for every address and every person, but for its language and its colours. */

const cookieValue = (cookie: string | undefined, name: string): string | undefined =>
  new RegExp(`(?:^|;) *${name}=(\\w{1,16}) *(?:;|$)`).exec(cookie ?? '')?.[1]

const themeOf = ({ cookie }: IncomingHttpHeaders): ConsoleTheme =>
  consoleThemes.find((theme) => theme === cookieValue(cookie, themeCookie)) ?? 'system'

/** That of the person, else the first one that the browser asks for and that there is. */
export function languageOf({ cookie, ...headers }: IncomingHttpHeaders): ConsoleLanguage {
  const chosen = cookieValue(cookie, languageCookie)
  const wanted = [...(headers['accept-language'] ?? '').slice(0, 256).matchAll(/(?:^|,) *([a-z]{2})\b/gi)]
  for (const text of [chosen, ...wanted.map(([, text]) => text?.toLowerCase())]) {
    const known = consoleLanguages.find((language) => language === text)
    if (known) return known
  }
  return 'en'
}

const opening = /<html lang="en">/

/**
 * The page as it was built, for this browser, with the name of the identity provider at which people sign in. The values of the browser
 * are of closed sets.
 */
export function shellFor(page: string, headers: IncomingHttpHeaders, provider?: string): string {
  const theme = themeOf(headers)
  const attributes = [
    theme === 'system' ? '' : ` data-theme="${theme}"`,
    provider === undefined ? '' : html` data-provider="${provider}"`.text,
  ]
  return page.replace(opening, () => `<html lang="${languageOf(headers)}"${attributes.join('')}>`)
}

/**
 * The page runs scripts of this service alone, which talk to it alone and write no HTML; it may not be framed. Bytes of tenants are
 * shown as images and media from memory.
 */
export const shellHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    'media-src blob:',
    "font-src 'none'",
    "connect-src 'self'",
    "worker-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types workers',
  ].join('; '),
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': [
    'accelerometer',
    'autoplay',
    'bluetooth',
    'browsing-topics',
    'camera',
    'display-capture',
    'fullscreen',
    'geolocation',
    'gyroscope',
    'hid',
    'identity-credentials-get',
    'idle-detection',
    'local-fonts',
    'magnetometer',
    'microphone',
    'midi',
    'payment',
    'publickey-credentials-get',
    'screen-wake-lock',
    'serial',
    'usb',
    'xr-spatial-tracking',
  ]
    .map((feature) => `${feature}=()`)
    .concat('clipboard-write=(self)')
    .join(', '),
  'cache-control': 'no-store',
  vary: 'accept-language, cookie',
}
