// Parses Dockerfiles with the parser of buildah (openshift/imagebuilder). Each line of the input is a file as a JSON string; each
// line of the output is what the parser found in it.
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"strings"

	"github.com/openshift/imagebuilder/dockerfile/parser"
)

type heredoc struct {
	Name    string `json:"name"`
	Content string `json:"content"`
	Expand  bool   `json:"expand"`
	Chomp   bool   `json:"chomp"`
}

type instruction struct {
	Keyword  string    `json:"keyword"`
	Flags    []string  `json:"flags"`
	Text     string    `json:"text"`
	Start    int       `json:"start"`
	End      int       `json:"end"`
	Heredocs []heredoc `json:"heredocs"`
}

type result struct {
	Error        string        `json:"error,omitempty"`
	Escape       string        `json:"escape"`
	Instructions []instruction `json:"instructions"`
}

func parse(text string) result {
	parsed, err := parser.Parse(strings.NewReader(text))
	if err != nil {
		return result{Error: err.Error()}
	}
	found := result{Escape: string(parsed.EscapeToken), Instructions: []instruction{}}
	for _, node := range parsed.AST.Children {
		each := instruction{
			Keyword: node.Value, Flags: node.Flags, Text: node.Original,
			Start: node.StartLine, End: node.EndLine, Heredocs: []heredoc{},
		}
		for _, doc := range node.Heredocs {
			each.Heredocs = append(each.Heredocs, heredoc{doc.Name, doc.Content, doc.Expand, doc.Chomp})
		}
		found.Instructions = append(found.Instructions, each)
	}
	return found
}

func main() {
	input := bufio.NewReaderSize(os.Stdin, 1<<16)
	output := bufio.NewWriterSize(os.Stdout, 1<<16)
	defer output.Flush()
	encoder := json.NewEncoder(output)
	for {
		line, err := input.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		var text string
		if err != nil || json.Unmarshal(line, &text) != nil {
			os.Exit(1)
		}
		if encoder.Encode(parse(text)) != nil {
			os.Exit(1)
		}
		if input.Buffered() == 0 {
			output.Flush()
		}
	}
}
