// biome-ignore lint/suspicious/noControlCharactersInRegex: what changes how the text around it is shown
const deceiving = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Text that shows as itself alone: nothing in it changes the direction or the look of what is around it. */
export const plainText = (text: string): string => text.toWellFormed().replaceAll(deceiving, '\ufffd')
