package guest

import (
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
)

// checkRegistry checks that typed tools are valid, that verbs exist, and that their examples work. It returns the ops that
// parse, those of the manifest's example first.
func (j *judge) checkRegistry() []abi.Op {
	for i := range j.m.Tools {
		err := domain.CheckTool(&j.m.Tools[i])
		j.expect("registry", err == nil, "the typed tool %s cannot be offered: %v", j.m.Tools[i].Name, err)
	}
	var script []abi.Op
	for _, line := range grammar.ParseAll(j.m.Example, j.d.Rules) {
		op, err := j.parse(line.Raw)
		if !j.expect("registry", line.Err == nil && err == nil, "the card's example %q cannot be sent: %v", line.Raw, err) {
			continue
		}
		script = append(script, op)
	}
	j.script = script
	doc, err := j.newDocument()
	if err != nil {
		j.countFault("making a new document", err)
		j.expect("registry", false, "no document can be created: %v", err)
		return nil
	}
	defer func() { doc.close() }()
	for _, op := range script {
		no, err := j.tryOp(doc, op)
		j.expect("registry", err == nil && no == "", "the card's example %q does not work after the ones before it: %s%s", op.Raw, no, problem(err))
		if err != nil {
			if doc = j.restart(doc, script); doc == nil {
				return script
			}
		}
	}
	pool := slices.Clone(script)
	examples := map[string][]abi.Op{}
	for _, v := range j.m.Verbs {
		j.expect("registry", len(v.Examples) > 0, "the verb %s has no example", v.Name)
		for _, e := range v.Examples {
			op, err := j.parse(e)
			if !j.expect("registry", err == nil, "the example %q of %s cannot be sent: %v", e, v.Name, err) {
				continue
			}
			j.expect("registry", op.Verb == v.Name, "the example %q of %s is one of %s", e, v.Name, op.Verb)
			examples[v.Name] = append(examples[v.Name], op)
			pool = append(pool, op)
		}
	}
	j.checkExamples(doc, script, examples)
	return pool
}

// checkExamples looks for a state in which an example of each verb works: after the other examples, after the manifest's
// example, or an empty document. A verb may refuse its examples if they name resources, which do not exist here.
func (j *judge) checkExamples(doc *instance, script []abi.Op, examples map[string][]abi.Op) {
	worked, refused := map[string]bool{}, map[string]string{}
	// show tries the verbs that have not worked yet, on doc or on a document for each.
	show := func(alone func() *instance) {
		for _, v := range j.m.Verbs {
			for _, op := range examples[v.Name] {
				if worked[v.Name] || j.over() {
					break
				}
				on := doc
				if alone != nil {
					on = alone()
				}
				if on == nil {
					return
				}
				no, err := j.tryOp(on, op)
				switch {
				case err != nil:
					refused[v.Name] = err.Error()
					if alone == nil {
						if doc = j.restart(doc, script); doc == nil {
							return
						}
						continue
					}
				case no != "":
					refused[v.Name] = fmt.Sprintf("%q gave: %s", op.Raw, no)
				default:
					worked[v.Name] = true
				}
				if alone != nil {
					on.close()
				}
			}
		}
	}
	show(nil)
	show(nil) // a later verb may have created what an earlier one needs
	show(func() *instance { return j.restart(nil, script) })
	show(func() *instance { return j.restart(nil, nil) })
	for _, start := range [][]abi.Op{script, nil} {
		for _, v := range j.m.Verbs {
			if !worked[v.Name] {
				worked[v.Name] = j.worksAfterOthers(start, examples, v.Name, "")
			}
			for _, remover := range j.m.Verbs { // one verb's examples may remove what another's need
				if !worked[v.Name] && len(v.Resources) == 0 {
					worked[v.Name] = j.worksAfterOthers(start, examples, v.Name, remover.Name)
				}
			}
		}
	}
	for _, v := range j.m.Verbs {
		if len(examples[v.Name]) > 0 {
			j.expect("registry", worked[v.Name] || len(v.Resources) > 0, "no example of the verb %s works: %s", v.Name, refused[v.Name])
		}
	}
}

// worksAfterOthers tries the examples of one verb on a document that begins with the ops of start, after each of the other
// examples but those of the verb without.
func (j *judge) worksAfterOthers(start []abi.Op, examples map[string][]abi.Op, verb, without string) bool {
	if len(examples[verb]) == 0 || j.over() {
		return false
	}
	doc := j.restart(nil, start)
	if doc == nil {
		return false
	}
	defer doc.close()
	for _, v := range j.m.Verbs {
		for _, other := range examples[v.Name] {
			if v.Name == verb || v.Name == without {
				continue
			}
			if _, err := j.tryOp(doc, other); err != nil {
				return false
			}
			for _, op := range examples[verb] {
				no, err := j.tryOp(doc, op)
				if err != nil {
					return false
				}
				if no == "" {
					return true
				}
			}
		}
	}
	return false
}

// restart returns a new document with the script applied; nil if that fails.
func (j *judge) restart(old *instance, script []abi.Op) *instance {
	if old != nil {
		old.close()
	}
	i, err := j.newDocument()
	if err != nil {
		j.countFault("making a new document", err)
		return nil
	}
	for _, op := range script {
		if _, err := j.tryOp(i, op); err != nil {
			i.close()
			return nil
		}
	}
	return i
}

// tryOp sends one op and returns the refusal, or "". The error means that the instance is gone.
func (j *judge) tryOp(i *instance, op abi.Op) (no string, err error) {
	out, err := i.apply(false, nil, op)
	if err != nil {
		j.countFault(fmt.Sprintf("the operation %q", op.Raw), err)
		return "", err
	}
	if e := out.Results[0].Error; e != nil {
		return e.Message, nil
	}
	return "", nil
}

func problem(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
